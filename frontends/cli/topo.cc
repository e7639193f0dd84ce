#include <fmt/format.h>

#include "core/base/config_error.h"
#include "formats/hpcc/hpcc_format.h"
#include "frontends/cli/commands.h"
#include "report/topology_drawing.h"
#include "report/topology_text.h"
#include "simulation/survey/survey.h"

namespace orrery::cli {

namespace {

Experiment load(const TopologyOptions& options) {
  return load_cluster(options.platform, options.overrides, options.ranks);
}

}  // namespace

ExitCode topo_show(const TopologyOptions& options, const Terminal& terminal) {
  const Experiment experiment = load(options);
  const Topology topology(experiment.topology);
  const std::string text = topology_text(topology, inner_links(experiment.topology));
  terminal.out << wrapped_text(fmt::format("{}: {}", experiment.name, text), terminal.width);
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
