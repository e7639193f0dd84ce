#include "report/experiment_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/units/unit_text.h"
#include "report/text_table.h"
#include "simulation/iteration_sums.h"
#include "simulation/packet_cost.h"
#include "simulation/result/selected_rows.h"
#include "simulation/simulate.h"
#include "simulation/simulate_traffic.h"
#include "system/collective/piece_sizes.h"
#include "system/rank/selection.h"

namespace orrery {

namespace {

constexpr Bytes example_size = bytes(100'000'000);

std::string platform(const Topology& topology) {
  TextTable table({{"  level", left_aligned},
                   {"kind", left_aligned},
                   {"scope", left_aligned},
                   {"members"},
                   {"ports\nper NPU"},
                   {"bandwidth\nper NPU"},
                   {"latency to\nthe farthest"}});
  for (int level = 0; level < static_cast<int>(topology.levels().size()); ++level) {
    const LevelSpec& spec = topology.levels()[static_cast<std::size_t>(level)];
    Duration farthest;
    for (std::int32_t to = 1; to < spec.size; ++to) {
      farthest = std::max(farthest, topology.path_latency(level, 0, to));
    }
    table.add_row({"  " + spec.name, std::string(name_of(spec.kind)),
                   std::string(name_of(spec.scope)), std::to_string(spec.size),
                   std::to_string(topology.ports(level)),
                   to_text(topology.injection_bandwidth(level)), to_text(farthest)});
  }
  return fmt::format("\nplatform: {} NPUs, {} links\n", topology.npu_count(),
                     topology.links().size()) +
         table.text();
}

// Of a kind, among everyone; what is selected call by call shows in a table of its own.
std::string least_time_text(const CollectiveSpec& spec, Selection& selection,
                            const Topology& topology, Collective kind,
                            const Communicator& everyone) {
  if (needs_selection(spec)) return "-";
  return to_text(least_time(selection, topology, kind, everyone, example_size));
}

std::string chunks_text(const CollectiveSpec& spec, Bytes minimum) {
  if (chooses_chunks(spec)) return "auto";
  return std::to_string(chunk_count(example_size, spec.chunks, minimum));
}

std::string schedule_text(const CollectiveSpec& spec) {
  if (is_automatic(spec.algorithms) && spec.any_schedule) return "auto";
  return std::string(name_of(spec.schedule));
}

std::string collectives(const Experiment& experiment, const Topology& topology,
                        Selection& selection) {
  const Communicator everyone{"world", std::vector<Extent>{{topology.npu_count(), 1}}};
  TextTable table({{"  collective", left_aligned},
                   {"schedule", left_aligned},
                   {"algorithms", left_aligned},
                   {"chunks"},
                   {"least time"}});
  for (int i = 0; i < collective_count; ++i) {
    const auto kind = static_cast<Collective>(i);
    const CollectiveSpec& spec = experiment.system.collectives[static_cast<std::size_t>(i)];
    table.add_row({fmt::format("  {}", name_of(kind)), schedule_text(spec),
                   names_of(spec.algorithms, ", "),
                   chunks_text(spec, experiment.system.minimum_chunk),
                   least_time_text(spec, selection, topology, kind, everyone)});
  }
  return fmt::format("\ncollectives of {} among all NPUs (least time: bandwidth only)\n",
                     to_text(example_size)) +
         table.text();
}

// Only the MLPs are replicated and thus all-reduced: one gradient for each of their parameters.
std::string parameters(const Experiment& experiment, TotalBytes gradients) {
  const auto* model = std::get_if<DlrmSpec>(&experiment.workload.what);
  if (model == nullptr || model->element == Bytes{}) return "";
  return fmt::format("  MLP parameters  {:.4g} M, gradients {}\n",
                     (gradients.as_double() / static_cast<double>(model->element.value)) * 1e-6,
                     to_text(gradients));
}

// What is chosen for the calls of the job.
std::string selected(const Selection& selection) {
  TextTable table({{"  selected for", left_aligned},
                   {"group", left_aligned},
                   {"bytes"},
                   {"algorithm", left_aligned},
                   {"predicted"},
                   {"candidates"}});
  for (const SelectedRow& row : selected_rows(selection))
    table.add_row({"  " + row.collective, fmt::format("{}", fmt::join(row.group, " x ")),
                   to_text(row.bytes), row.chosen,
                   row.predicted ? to_text(*row.predicted) : "by size range",
                   row.predicted ? std::to_string(row.candidates) : "-"});
  return table.empty() ? "" : '\n' + table.text();
}

std::string iteration(const Experiment& experiment, const Topology& topology,
                      Selection& selection) {
  const IterationSums sums = iteration_sums(experiment, topology, selection);
  const auto& all_reduce = sums.collectives[static_cast<std::size_t>(Collective::all_reduce)];
  std::string text =
      fmt::format("\none iteration of rank 0, of {}\n", experiment.workload.iterations);
  text += parameters(experiment, all_reduce.size);
  text += fmt::format("  operations      {}\n", sums.operations);
  text += fmt::format("  compute         {}{}\n", to_text(sums.compute),
                      sums.flops > TotalFlops() ? " for " + to_text(sums.flops) : "");
  if (sums.sent > TotalBytes()) text += fmt::format("  sends           {}\n", to_text(sums.sent));
  if (sums.received > TotalBytes()) {
    text += fmt::format("  receives        {}\n", to_text(sums.received));
  }
  TextTable table(
      {{"  collective", left_aligned}, {"calls"}, {"bytes"}, {"chunks"}, {"least time"}});
  for (int i = 0; i < collective_count; ++i) {
    const auto& sum = sums.collectives[static_cast<std::size_t>(i)];
    if (sum.calls == 0) continue;
    table.add_row({fmt::format("  {}", name_of(static_cast<Collective>(i))),
                   std::to_string(sum.calls), to_text(sum.size), std::to_string(sum.chunks),
                   to_text(sum.least_time)});
  }
  if (!table.empty()) text += '\n' + table.text();
  return text + selected(selection);
}

std::string folding(const Experiment& experiment) {
  const Forecast forecast = forecast_of(experiment);
  const std::string& reason = forecast.unfolded_because;
  std::string text = "\nfolding: ";
  if (!reason.empty())
    text += fmt::format("every rank is simulated, because {}\n", reason);
  else if (forecast.simulated == 1)
    text += fmt::format("one rank is simulated for all {}: they do the same at the same time\n",
                        forecast.ranks);
  else
    text += fmt::format("{} ranks are simulated for all {}: the others do the same\n",
                        forecast.simulated, forecast.ranks);
  if (forecast.messages > 0) text += fmt::format("work: {}\n", work_text(forecast));
  return text;
}

}  // namespace

std::string derived_numbers(const Experiment& experiment, const TrafficSpec& traffic) {
  const Topology topology(experiment.topology);
  const TrafficForecast forecast = forecast_of(traffic, topology);
  TextTable table({{"  flows", left_aligned}, {"", left_aligned}});
  table.add_row({"  all NPUs can send", to_text(forecast.hosts)});
  if (forecast.uplinks > Bandwidth{})
    table.add_row({"  the uplinks carry", to_text(forecast.uplinks)});
  table.add_row({"  flows and incasts offer", to_text(forecast.offered)});
  table.add_row({"  mean size", to_text(forecast.mean_size)});
  table.add_row({"  flows in all", fmt::format("about {:.0f}", forecast.flows)});
  if (const double seconds = packet_seconds(experiment, traffic); seconds > 0)
    table.add_row({"  in packets", "about " + cpu_time_text(seconds)});
  return platform(topology) + '\n' + table.text();
}

std::string derived_numbers(const Experiment& experiment) {
  std::string text;
  {  // the topology of a large platform takes much memory, and folding() makes its own
    const Topology topology(experiment.topology);
    Selection selection(topology, experiment.system);
    text = platform(topology) + collectives(experiment, topology, selection) +
           iteration(experiment, topology, selection);
  }
  return text + folding(experiment);
}

}  // namespace orrery
