#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/config_error.h"
#include "core/units/unit_text.h"
#include "frontends/cli/commands.h"
#include "frontends/topology/drawing.h"
#include "frontends/topology/hpcc_format.h"
#include "report/text_table.h"
#include "simulation/survey/survey.h"

namespace orrery::cli {

namespace {

constexpr auto left = TextTable::Align::left;

Experiment load(const TopologyOptions& options) {
  return load_cluster(options.platform, options.overrides, options.ranks);
}

std::string nodes_text(const Topology& topology) {
  std::map<NodeKind, int> count;
  for (std::int32_t node = 0; node < topology.node_count(); ++node)
    ++count[topology.node_kind({node})];
  std::string text = fmt::format("{} NPUs", count[NodeKind::npu]);
  if (count[NodeKind::nic] > 0) text += fmt::format(", {} NICs", count[NodeKind::nic]);
  return text +
         fmt::format(", {} switches, {} links", count[NodeKind::switched], topology.links().size());
}

// The outermost level first asks: what can an NPU send there, and how is it grouped.
std::string levels_text(const Topology& topology) {
  TextTable table(
      {{"  level", left}, {"kind", left}, {"scope", left}, {"members"}, {"bandwidth\nper NPU"}});
  for (int l = 0; l < static_cast<int>(topology.levels().size()); ++l) {
    const LevelSpec& level = topology.levels()[l];
    table.add_row({"  " + level.name, std::string(name_of(level.kind)),
                   std::string(name_of(level.scope)), std::to_string(level.size),
                   to_text(topology.injection_bandwidth(l))});
  }
  return table.text();
}

std::string links_text(const Topology& topology) {
  using Kind = std::tuple<std::int32_t, NodeKind, NodeKind, Bandwidth, Duration>;
  std::map<Kind, int> count;
  for (const Link& link : topology.links())
    ++count[{link.level, topology.node_kind(link.from), topology.node_kind(link.to), link.bandwidth,
             link.latency}];
  TextTable table({{"  links", left}, {"level", left}, {"number"}, {"bandwidth"}, {"latency"}});
  for (const auto& [kind, number] : count) {
    const auto& [level, from, to, bandwidth, latency] = kind;
    table.add_row({fmt::format("  {} -> {}", name_of(from), name_of(to)),
                   topology.levels()[level].name, std::to_string(number), to_text(bandwidth),
                   to_text(latency)});
  }
  return table.text();
}

std::string figures_text(const Topology& topology) {
  const Distances distances = survey_distances(topology);
  std::string text = fmt::format("  diameter          {}{} links between two NPUs\n",
                                 distances.exact ? "" : "at least ", distances.diameter);
  if (distances.unreachable > 0) text += "  not connected     orrery topo check says what\n";
  const Bisection cut = survey_bisection(topology);
  if (!cut.known) return text + "  bisection         not computed: too many links\n";
  text += fmt::format("  bisection         {} each way, between the halves of level {}\n",
                      to_text(cut.capacity), cut.cut);
  if (cut.capacity > Bandwidth{})
    text += fmt::format(
        "  oversubscription  {:.3g} (what half of the NPUs can send, {}, to that)\n",
        static_cast<double>(cut.injection.value) / static_cast<double>(cut.capacity.value),
        to_text(cut.injection));
  return text;
}

}  // namespace

ExitCode topo_show(const TopologyOptions& options, const Terminal& terminal) {
  const Experiment experiment = load(options);
  const Topology topology(experiment.topology);
  terminal.out << wrapped_text(
      fmt::format("{}: {}\n\n{}\n{}\n{}", experiment.name, nodes_text(topology),
                  levels_text(topology), links_text(topology), figures_text(topology)),
      terminal.width);
  return ok;
}

ExitCode topo_check(const TopologyOptions& options, const Terminal& terminal) {
  const Topology topology(load(options).topology);
  const std::vector<std::string> suspicions = find_suspicions(topology);
  for (const std::string& suspicion : suspicions) terminal.out << suspicion << '\n';
  if (!suspicions.empty()) return simulation_failed;
  terminal.out << "ok: " << nodes_text(topology) << '\n';
  return ok;
}

ExitCode topo_export(const TopologyOptions& options, const Terminal& terminal) {
  const Experiment experiment = load(options);
  const Topology topology(experiment.topology);
  if (options.format == "svg" && topology.node_count() > most_nodes_drawn)
    throw ConfigError(
        {.file = "--format svg",
         .what = fmt::format("{} nodes are too many for a picture", topology.node_count()),
         .remedy =
             fmt::format("at most {}: --ranks N draws less, dot writes all", most_nodes_drawn)});
  if (options.format == "hpcc")
    terminal.out << hpcc_text(topology);
  else if (options.format == "svg")
    terminal.out << svg_text(topology, experiment.name);
  else
    terminal.out << dot_text(topology);
  return ok;
}

}  // namespace orrery::cli
