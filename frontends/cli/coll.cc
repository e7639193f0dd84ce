#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <variant>

#include "core/base/config_error.h"
#include "core/base/quoted.h"
#include "core/units/unit_text.h"
#include "execution/interrupt.h"
#include "execution/simulations.h"
#include "formats/custom/custom_algorithm.h"
#include "formats/measured/measured_times.h"
#include "formats/measured/size_list.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/operation_named.h"
#include "report/collective_report.h"
#include "report/result_folder.h"
#include "simulation/collective_operations.h"
#include "simulation/one_collective.h"
#include "system/rank/automatic_choice.h"
#include "workload/platform_facts.h"

namespace orrery::cli {

namespace {

std::string report(const CollectiveResult& result, Format format) {
  switch (format) {
    case Format::json:
      return collective_json(result);
    case Format::csv:
      return collective_csv(result);
    case Format::text:
      break;
  }
  return collective_text(result);
}

// A collective runs alone, and all ranks start at once.
void refuse_workload(const std::vector<Override>& overrides) {
  for (const Override& one : overrides)
    if (one.text.starts_with("workload.") || one.text.starts_with("workload="))
      throw ConfigError({.file = "--set " + one.text,
                         .what = "coll has no workload: one collective runs alone, and all ranks "
                                 "start at once",
                         .remedy = "run a file with it, such as workload: {all_reduce: 64 MiB, "
                                   "skew: 10 us}"});
}

// The platform with one algorithm ("" = its own). Options of `coll` are keys of `system:`, so that
// they are checked as if they were written there.
Experiment load_platform(const CollectiveOptions& options, const std::string& algorithm) {
  std::vector<Override> overrides = options.overrides;
  const auto add = [&](std::string_view key, const std::string& value, std::string shown) {
    overrides.push_back(
        {fmt::format("system.{}.{}={}", options.operation, key, value), std::move(shown)});
  };
  if (!options.chunks.empty()) add("chunks", options.chunks, "--chunks " + options.chunks);
  if (!algorithm.empty()) {
    std::string names = algorithm;
    const bool custom = names_custom_algorithm(algorithm);
    if (!custom) std::replace(names.begin(), names.end(), '+', ',');
    if (names != algorithm) names = '[' + names + ']';
    add(custom ? "custom" : "algorithms", names, "--algorithm " + algorithm);
  }
  refuse_workload(options.overrides);
  return load_cluster(options.platform, overrides, options.ranks);
}

std::vector<Experiment> load_platforms(const CollectiveOptions& options) {
  std::vector<std::string> algorithms = options.algorithms;
  if (algorithms.empty()) algorithms.emplace_back();
  std::vector<Experiment> platforms;
  for (const std::string& algorithm : algorithms) {
    platforms.push_back(load_platform(options, algorithm));
  }
  return platforms;
}

std::int64_t ranks_of(const Experiment& platform) { return facts_of(platform.topology).npus; }

std::vector<Bytes> sizes_of(const CollectiveOptions& options, const MeasuredTimes& measured) {
  if (!options.sizes.empty() || measured.empty()) {
    return parse_size_list(options.sizes.empty() ? default_sizes : options.sizes);
  }
  std::vector<Bytes> sizes;
  for (const auto& [size, time] : measured) sizes.push_back(size);
  return sizes;
}

// The measured times of a file, without what the benchmark itself took.
MeasuredTimes measured_of(const CollectiveOptions& options, Collective kind, std::int64_t ranks) {
  const auto wrong = [&](const std::string& what, const char* remedy) {
    return ConfigError({.path = "--overhead", .what = what, .remedy = remedy});
  };
  if (options.measured.empty()) {
    if (!options.overhead.empty())
      throw wrong("there are no measured times", "it goes with --measured FILE");
    return {};
  }
  MeasuredTimes measured = read_measured_times(options.measured, name_of(kind), ranks);
  if (options.overhead.empty()) return measured;
  const Parsed<Duration> parsed = parse_duration(options.overhead);
  const auto* overhead = std::get_if<Duration>(&parsed);
  if (overhead == nullptr || *overhead < Duration{})
    throw wrong(in_quotes(options.overhead) + " is no time", "write for example 27us");
  for (auto& [size, time] : measured) {
    if (time <= *overhead)
      throw wrong(fmt::format("{} took {} only", to_text(size), to_text(time)),
                  "no measured time is shorter than its overhead");
    time = time - *overhead;
  }
  return measured;
}

// What is simulated: an experiment for each row.
struct Series {
  std::vector<CollectiveRow> rows;  // still without a time
  std::vector<Experiment> experiments;
};

Series series_of(const std::vector<Experiment>& platforms, Collective kind,
                 const std::vector<Bytes>& sizes, const MeasuredTimes& measured,
                 std::int32_t skew) {
  Series series;
  for (const Experiment& platform : platforms) {
    const CollectiveSpec& spec = platform.system.collectives[static_cast<std::size_t>(kind)];
    for (const Bytes size : sizes) {
      CollectiveRow row;
      row.system = platform.name;
      row.operation = name_of(kind);
      row.ranks = ranks_of(platform);
      row.size = size;
      row.algorithm = algorithm_name(spec);
      row.chunks = chooses_chunks(spec) ? kMostChunks : spec.chunks;
      if (const auto found = measured.find(size); found != measured.end()) {
        row.measured = found->second;
      }
      series.rows.push_back(std::move(row));
      series.experiments.push_back(one_collective(platform, kind, size, skew));
    }
  }
  return series;
}

// The rows that were simulated to their end.
CollectiveResult result_of(const Series& series, const std::vector<Outcome>& outcomes) {
  CollectiveResult result;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].result) continue;
    const RunResult& run = *outcomes[i].result;
    result.host.cpu_s += run.host.cpu_s;
    result.host.peak_rss_bytes = std::max(result.host.peak_rss_bytes, run.host.peak_rss_bytes);
    if (run.partial) continue;
    result.backend = run.backend;
    result.backend_because = run.backend_because;
    result.ignored = run.ignored;
    result.protocols = run.protocols;
    result.rows.push_back(series.rows[i]);
    result.rows.back().time = run.finish;
    if (run.packets && run.packets->undelivered) {
      result.rows.back().carried = run.packets->undelivered->size;
      result.rows.back().missing = run.packets->undelivered->missing;
    }
    if (!run.selected.empty()) result.rows.back().chosen = run.selected.front().chosen;
  }
  return result;
}

}  // namespace

ExitCode coll(const CollectiveOptions& options, const Terminal& terminal) {
  const Collective kind = operation_named(options.operation);
  if (options.skew != 1 && kind != Collective::all_to_allv) {
    throw ConfigError({.file = fmt::format("--skew {}", options.skew),
                       .what = fmt::format("the parts of {} are all of one size", name_of(kind)),
                       .remedy = "it goes with --op all_to_allv"});
  }
  const std::vector<Experiment> platforms = load_platforms(options);
  const MeasuredTimes measured = measured_of(options, kind, ranks_of(platforms.front()));
  const Series series =
      series_of(platforms, kind, sizes_of(options, measured), measured, options.skew);
  const Overwrite overwrite = options.force ? Overwrite::allow : Overwrite::refuse;
  const InterruptGuard interrupt;  // until all is written
  if (!options.output.empty()) prepare_result_folder(options.output, overwrite);

  const auto start = std::chrono::steady_clock::now();
  const std::vector<Outcome> outcomes =
      simulate_all(series.experiments, terminal, {.fold = options.fold, .links = false});
  CollectiveResult result = result_of(series, outcomes);
  result.host.wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.provenance = provenance_of(platforms, options.invocation);

  print_remarks(outcomes);
  if (!result.rows.empty()) {
    const std::string text = report(result, options.format);
    terminal.out << (options.format == Format::text ? wrapped_text(text, terminal.width) : text);
    if (!options.output.empty()) write_collectives(options.output, result, overwrite);
  }
  ExitCode worst = ok;
  for (const Outcome& outcome : outcomes) worst = std::max(worst, outcome.failure.exit_code);
  return worst;
}

}  // namespace orrery::cli
