#include "frontends/report/csv_report.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

namespace orrery {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string summary_csv(std::span<const RunResult> results) {
  std::string csv =
      "system,backend,seed,fingerprint,partial,partial_reason,ranks,iterations,finish_ps,"
      "iteration_ps,compute_ps,exposed_ps,idle_ps,bound_ps,bound_by,ratio_to_fastest,events,"
      "messages,wall_s,cpu_s,peak_rss_bytes,version,commit,inputs\n";
  const std::vector<std::optional<double>> ratios = ratios_to_fastest(results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const RunResult& run = results[i];
    const std::optional<Duration> iteration = iteration_time(run);
    csv += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
        csv_field(run.name), csv_field(run.backend), run.seed, run.fingerprint, run.partial,
        csv_field(run.partial_reason), rank_count(run), iteration_count(run), run.finish.value,
        iteration ? std::to_string(iteration->value) : "", run.compute.value, run.exposed.value,
        run.idle.value, run.bound.value, csv_field(run.bound_by),
        ratios[i] ? fmt::format("{}", *ratios[i]) : "", run.events, run.messages, run.host.wall_s,
        run.host.cpu_s, run.host.peak_rss_bytes, csv_field(run.provenance.version),
        csv_field(run.provenance.commit), run.provenance.inputs);
  }
  return csv;
}

std::string exposed_csv(std::span<const RunResult> results) {
  std::string csv = "system,kind,exposed_ps\n";
  for (const RunResult& run : results) {
    for (const ExposedBy& row : run.exposed_by) {
      csv += fmt::format("{},{},{}\n", csv_field(run.name), csv_field(row.kind), row.exposed.value);
    }
  }
  return csv;
}

std::string layers_csv(std::span<const RunResult> results) {
  std::string csv =
      "system,iteration,layer,pass,collective,bytes,compute_ps,raw_ps,raw_max_ps,raw_bound_ps,"
      "exposed_ps\n";
  for (const RunResult& run : results) {
    for (const LayerRow& row : run.layers) {
      csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(run.name), row.iteration,
                         csv_field(row.name), name_of(row.pass), row.collective, row.bytes.value,
                         row.compute.value, row.raw.value, row.raw_max.value, row.raw_bound.value,
                         row.exposed.value);
    }
  }
  return csv;
}

std::string levels_csv(std::span<const RunResult> results) {
  std::string csv = "system,level,collective,bytes\n";
  for (const RunResult& run : results) {
    for (const LevelRow& row : run.levels) {
      csv += fmt::format("{},{},{},{}\n", csv_field(run.name), csv_field(row.name), row.collective,
                         row.bytes.value);
    }
  }
  return csv;
}

std::string links_csv(std::span<const RunResult> results, const ReportOptions& options) {
  std::string csv = "system,source,target,level,bytes,utilisation\n";
  for (const RunResult& run : results) {
    for (const LinkRow& row : shown_links(run, options)) {
      csv += fmt::format("{},{},{},{},{},{}\n", csv_field(run.name), csv_field(row.source),
                         csv_field(row.target), csv_field(row.level), row.bytes.value,
                         row.utilisation);
    }
  }
  return csv;
}

std::string jobs_csv(std::span<const RunResult> results) {
  std::string csv =
      "system,job,ranks,iterations,start_ps,finish_ps,compute_ps,exposed_ps,idle_ps\n";
  for (const RunResult& run : results) {
    for (const JobRow& row : run.jobs) {
      csv += fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_field(run.name), csv_field(row.name),
                         row.ranks, row.iterations, row.start.value, row.finish.value,
                         row.compute.value, row.exposed.value, row.idle.value);
    }
  }
  return csv;
}

std::string matrix_csv(std::span<const RunResult> results) {
  std::string csv = "system,group,source,target,bytes,messages\n";
  for (const RunResult& run : results) {
    for (const MatrixRow& row : run.matrix) {
      csv += fmt::format("{},{},{},{},{},{}\n", csv_field(run.name), csv_field(row.group),
                         row.source, row.target, row.bytes.value, row.messages);
    }
  }
  return csv;
}

std::string activity_csv(std::span<const RunResult> results) {
  std::string csv = "system,level,begin_ps,end_ps,bytes,share\n";
  for (const RunResult& run : results) {
    for (const ActivityRow& row : run.activity) {
      csv += fmt::format("{},{},{},{},{},{}\n", csv_field(run.name), csv_field(row.level),
                         row.begin.value, row.end.value, row.bytes.value, row.share);
    }
  }
  return csv;
}

std::string link_activity_csv(std::span<const RunResult> results) {
  std::string csv = "system,source,target,level,begin_ps,end_ps,bytes,utilisation\n";
  for (const RunResult& run : results) {
    for (const LinkActivityRow& row : run.link_activity) {
      csv += fmt::format("{},{},{},{},{},{},{},{}\n", csv_field(run.name), csv_field(row.source),
                         csv_field(row.target), csv_field(row.level), row.begin.value,
                         row.end.value, row.bytes.value, row.utilisation);
    }
  }
  return csv;
}

std::string ranks_csv(std::span<const RunResult> results) {
  std::string csv = "system,rank,multiplicity,finish_ps,compute_ps,exposed_ps,idle_ps,stolen_ps\n";
  for (const RunResult& run : results) {
    for (const RankRow& row : run.ranks) {
      csv += fmt::format("{},{},{},{},{},{},{},{}\n", csv_field(run.name), row.rank,
                         row.multiplicity, row.finish.value, row.compute.value, row.exposed.value,
                         row.idle.value, row.stolen.value);
    }
  }
  return csv;
}

std::string depths_csv(std::span<const RunResult> results) {
  std::string csv = "system,queue,begin_ps,end_ps,most_waiting\n";
  for (const RunResult& run : results) {
    if (!run.packets) continue;
    for (const DepthRow& row : run.packets->depths) {
      Duration begin;
      for (const std::int64_t peak : row.peaks) {
        const Duration end = begin + row.interval;
        csv += fmt::format("{},{},{},{},{}\n", csv_field(run.name), csv_field(row.name),
                           begin.value, end.value, peak);
        begin = end;
      }
    }
  }
  return csv;
}

std::string flows_csv(std::span<const RunResult> results) {
  std::string csv = "system,flow,time_ps,congestion_window,smoothed_rtt_ps\n";
  for (const RunResult& run : results) {
    if (!run.packets) continue;
    for (const FlowRow& row : run.packets->flows)
      for (const FlowSample& sample : row.samples)
        csv += fmt::format("{},{},{},{},{}\n", csv_field(run.name), csv_field(row.name),
                           sample.at.since_start.value, sample.congestion_window.value,
                           sample.smoothed_rtt.value);
  }
  return csv;
}

}  // namespace orrery
