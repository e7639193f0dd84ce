#include "simulation/backend_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <variant>

#include "core/units/unit_text.h"
#include "network/backends.h"
#include "network/inner_links.h"
#include "simulation/called_kinds.h"
#include "simulation/make_job.h"
#include "simulation/packet_cost.h"
#include "simulation/platform_size.h"
#include "simulation/problems.h"
#include "simulation/result/network_notices.h"
#include "simulation/shared_ports.h"
#include "simulation/simulate.h"
#include "system/measured_protocols.h"
#include "workload/graph/graph.h"
#include "workload/platform_facts.h"

namespace orrery {

namespace {

std::vector<std::string> contention_of_graph(const TopologySpec& topology) {
  const InnerLinks inner = inner_links(topology);
  switch (inner.kind) {
    case InnerLinks::Kind::none:
      return {};
    case InnerLinks::Kind::unequal:
      return {"a port that is slower than others of its level does not fill them"};
    case InnerLinks::Kind::at_nics:
      return {"NPUs share NICs that are faster than one of them"};
    case InnerLinks::Kind::at_npus:
      return {"messages share links of NPUs that pass them on"};
    case InnerLinks::Kind::at_switches:
      break;
  }
  const std::string taper =
      inner.taper > 1 ? fmt::format(" (taper {:.3g}:1 at {})", inner.taper, inner.level) : "";
  return {"messages share links between switches" + taper};
}

// What written sends do: those that cross several levels, and those that go beyond a neighbour.
struct Sends {
  bool cross_levels = false;
  std::set<int> beyond_neighbours;  // levels

  void add(const std::vector<LevelSpec>& levels, Rank from, Rank to) {
    int crossed = 0;
    for (int l = 0; l < static_cast<int>(levels.size()); ++l) {
      const LevelSpec& level = levels[l];
      const std::int32_t distance = std::abs(from % level.size - to % level.size);
      from /= level.size;
      to /= level.size;
      if (distance == 0) continue;
      ++crossed;
      const bool neighbours =
          distance == 1 || (level.kind == LevelKind::ring && distance == level.size - 1);
      if (has_inner_links(level) && !neighbours) beyond_neighbours.insert(l);
    }
    cross_levels = cross_levels || crossed > 1;
  }
};

Sends sends_of(const ProgramSpec& program, const std::vector<LevelSpec>& levels) {
  Sends sends;
  std::int32_t npus = 1;
  for (const LevelSpec& level : levels) npus *= level.size;
  for (const ProgramSpec::Part& part : program.parts)
    for (const ProgramSpec::Step& step : part.steps) {
      const auto* send = std::get_if<SendCall>(&step.operation.what);
      if (send == nullptr) continue;
      for (const Rank rank : part.ranks) sends.add(levels, rank, send->to);
      for (Rank rank = 0; part.ranks.empty() && rank < npus; ++rank)
        sends.add(levels, rank, send->to);
    }
  return sends;
}

Sends sends_of(const GraphWorkload& trace, const std::vector<LevelSpec>& levels) {
  std::vector<std::set<Rank>> distances;  // of each graph
  for (const auto& graph : trace.graphs) {
    distances.emplace_back();
    for (const Operation& operation : graph->operations())
      if (const auto* send = std::get_if<SendCall>(&operation.what))
        distances.back().insert(send->to);
  }
  Sends sends;
  for (Rank rank = 0; rank < static_cast<Rank>(trace.graph_of_rank.size()); ++rank)
    for (const Rank distance : distances[trace.graph_of_rank[rank]])
      sends.add(levels, rank, rank + distance);
  return sends;
}

bool are_lists(const Communicator& communicator) {
  return std::holds_alternative<RankLists>(communicator.groups);
}

// Whether ranks send differently, so that messages between levels can meet at one neighbour.
bool ranks_differ(const WorkloadSpec& workload, const std::vector<LevelSpec>& levels) {
  if (std::holds_alternative<JobsSpec>(workload.what)) return true;
  if (const auto* stack = std::get_if<StackTraining>(&workload.what))
    return !stack->servers.empty();
  if (const auto* trace = std::get_if<GraphWorkload>(&workload.what))
    return sends_of(*trace, levels).cross_levels ||
           std::ranges::any_of(trace->communicators, are_lists);
  const auto* program = std::get_if<ProgramSpec>(&workload.what);
  if (program == nullptr) return false;
  return sends_of(*program, levels).cross_levels ||
         std::ranges::any_of(program->communicators, [](const Grouping& groups) {
           return std::holds_alternative<RankLists>(groups);
         });
}

// Whether the groups of all collectives are whole levels.
bool groups_are_levels(const WorkloadSpec& workload) {
  if (const auto* program = std::get_if<ProgramSpec>(&workload.what))
    return std::ranges::all_of(program->communicators, [](const Grouping& groups) {
      return std::holds_alternative<std::vector<int>>(groups);
    });
  if (const auto* trace = std::get_if<GraphWorkload>(&workload.what))
    return std::ranges::all_of(trace->communicators, [](const Communicator& communicator) {
      return std::holds_alternative<std::vector<int>>(communicator.groups);
    });
  if (const auto* stack = std::get_if<StackTraining>(&workload.what)) return stack->servers.empty();
  return std::holds_alternative<DlrmSpec>(workload.what) ||
         std::holds_alternative<LayerTableWorkload>(workload.what);
}

// Whether a collective sends between neighbours of the ring only, on the links that join them.
bool goes_round(const CollectiveSpec& spec, int level, std::size_t levels) {
  if (needs_selection(spec)) return false;
  if (spec.schedule == HierarchicalSchedule::flat && levels > 1) return false;
  const std::string& name = algorithm_on(spec, level).name;
  return name == "ring" || name.starts_with("ring:");
}

bool stays_between_neighbours(const Experiment& experiment, int level) {
  const auto& levels = experiment.topology.levels;
  const WorkloadSpec& workload = experiment.workload;
  if (levels[level].kind != LevelKind::ring || !groups_are_levels(workload)) return false;
  if (const auto* program = std::get_if<ProgramSpec>(&workload.what))
    if (sends_of(*program, levels).beyond_neighbours.contains(level)) return false;
  if (const auto* trace = std::get_if<GraphWorkload>(&workload.what))
    if (sends_of(*trace, levels).beyond_neighbours.contains(level)) return false;
  std::set<Collective> kinds = called_kinds(workload);
  if (std::holds_alternative<LayerTableWorkload>(workload.what))
    for (int kind = 0; kind < collective_count; ++kind) kinds.insert(static_cast<Collective>(kind));
  return std::ranges::all_of(kinds, [&](Collective kind) {
    const auto& spec = experiment.system.collectives[static_cast<std::size_t>(kind)];
    return goes_round(spec, level, levels.size());
  });
}

std::vector<std::string> contention_of_levels(const Experiment& experiment) {
  const std::vector<LevelSpec>& levels = experiment.topology.levels;
  std::vector<std::string> clauses;
  for (int l = 0; l < static_cast<int>(levels.size()); ++l)
    if (has_inner_links(levels[l]) && !stays_between_neighbours(experiment, l))
      clauses.push_back(
          fmt::format("messages share links of {}, a {} of {}",
                      levels[l].name.empty() ? fmt::format("level {}", l) : levels[l].name,
                      name_of(levels[l].kind), levels[l].size));
  if (!clauses.empty() || levels.size() == 1) return clauses;
  if (const auto* jobs = std::get_if<JobsSpec>(&experiment.workload.what);
      jobs != nullptr && jobs->jobs.size() > 1)
    return {"several jobs share the network"};
  if (ranks_differ(experiment.workload, levels))
    return {"messages between levels share the ports of NPUs that pass them on"};
  return {};
}

}  // namespace

std::vector<std::string> contention_of(const Experiment& experiment) {
  const RoutingSpec& routing = experiment.network.routing;
  std::vector<std::string> clauses = experiment.topology.graph != nullptr
                                         ? contention_of_graph(experiment.topology)
                                         : contention_of_levels(experiment);
  const bool by_dimensions = routing.policy == RoutingPolicy::automatic ||
                             routing.policy == RoutingPolicy::dimension_order;
  if (!by_dimensions)
    clauses.push_back(fmt::format("network.routing.policy: {} spreads messages over links",
                                  name_of(routing.policy)));
  if (!routing.routes.empty()) clauses.push_back("network.routing.routes put messages on links");
  if (!routing.faults.empty()) clauses.push_back("network.faults meet messages on their way");
  return clauses;
}

namespace {

// Of all collectives and sends of all ranks, by the buffer of a rank. Nothing if that is not known
// before the job runs.
std::optional<TotalBytes> bytes_of_calls(const Experiment& experiment) {
  const Topology topology(experiment.topology);
  const Job job = make_job(experiment, topology);
  std::map<const void*, TotalBytes> of_program;
  TotalBytes sum;
  for (Rank rank = 0; rank < job.ranks; ++rank) {
    const KnownOperations operations = job.operations->known_operations(rank);
    if (operations.empty()) return std::nullopt;
    const auto [found, is_new] = of_program.try_emplace(operations.identity());
    for (const Operation& operation : operations) {
      if (!is_new) break;
      if (const auto* call = std::get_if<CollectiveCall>(&operation.what))
        found->second += call->size;
      if (const auto* send = std::get_if<SendCall>(&operation.what)) found->second += send->size;
    }
    sum += found->second;
  }
  return sum;
}

// Whether they would be simulated in packets in the time that a user waits for an answer.
bool is_small_in_packets(const Experiment& experiment) {
  // The forecast makes all ports: 8 kB for each NPU. So many NPUs send more within an iteration.
  constexpr std::int64_t most_npus = 1 << 15;
  constexpr Bytes most_bytes{10'000'000'000};
  if (facts_of(experiment.topology).npus > most_npus) return false;
  Experiment in_packets = experiment;
  in_packets.network.backend = "packet";
  if (!problems_of(in_packets).empty()) return true;  // so that they are told
  const Forecast forecast = forecast_of(in_packets);
  if (forecast.messages > 0) return forecast.cpu_s <= most_seconds_of_packets;
  const std::optional<TotalBytes> bytes = bytes_of_calls(experiment);
  return bytes && *bytes <= TotalBytes(most_bytes);
}

}  // namespace

// Not of a level, which a platform brings.
std::string setting_of_packets(const NetworkSpec& network) {
  for (const GivenSetting& setting : network.given)
    if ((setting.group == SettingGroup::transport ||
         setting.group == SettingGroup::switch_buffer) &&
        setting.path.starts_with("network."))
      return setting.path;
  return "";
}

BackendChoice choose_backend(const Experiment& experiment, PacketsOf packets_of) {
  if (const RoutingPolicy policy = experiment.network.routing.policy; needs_packets(policy))
    return {"packet",
            fmt::format("network.routing.policy: {} chooses for each packet", name_of(policy))};
  const std::vector<std::string> clauses = contention_of(experiment);
  if (const std::string setting = setting_of_packets(experiment.network); !setting.empty()) {
    if (packets_of == PacketsOf::any_size || is_small_in_packets(experiment))
      return {"packet", setting + " is given"};
  }
  if (!clauses.empty()) return {"fluid", clauses.front()};
  for (const GivenSetting& setting : experiment.network.given)
    if (setting.group == SettingGroup::fluid) return {"fluid", setting.path + " is given"};
  if (const std::string shared = shared_ports_of(experiment); !shared.empty()) {
    Experiment in_shares = experiment;
    in_shares.network.backend = "fluid";
    if (!problems_of(in_shares).empty()) return {"fluid", shared};  // so that they are told
    const Forecast forecast = forecast_of(in_shares);
    if (forecast.cpu_s <= most_seconds_of_shares) return {"fluid", shared};
    return {"analytical", fmt::format("{}, but sharing ports fairly (fluid) would take {}", shared,
                                      cpu_time_text(forecast.cpu_s))};
  }
  const bool goes_round = std::ranges::any_of(experiment.topology.levels, has_inner_links);
  return {"analytical", goes_round ? "messages go to neighbours only, each over a link of its own"
                                   : "every link is the port of one NPU or NIC"};
}

namespace {

// The errors of a library's costs are those of all-reduces inside a node.
void tell_protocols_of_nics(Experiment& experiment) {
  const auto& costs = experiment.system.protocols;
  ProtocolsInForce& protocols = experiment.protocols_in_force;
  if (find_measured_protocols(protocols.name) == nullptr ||
      std::ranges::any_of(costs, [](const ProtocolCost& cost) { return cost.scope.has_value(); }))
    return;
  protocols.error.reset();
  protocols.because = fmt::format("between nodes, as links of {} are those of NICs",
                                  to_text(experiment.topology.levels[0].bandwidth));
}

}  // namespace

void choose_open_backend(Experiment& experiment, PacketsOf packets_of) {
  tell_leaves_and_spines(experiment);
  tell_protocols_of_nics(experiment);
  if (!experiment.network.backend_named) {
    BackendChoice choice = choose_backend(experiment, packets_of);
    experiment.network.backend = choice.backend;
    experiment.network.chosen_because = std::move(choice.because);
    for (ResolvedValue& value : experiment.resolved)
      if (value.path == "network.backend") {
        value.value = experiment.network.backend;
        value.origin = "chosen";
      }
    mark_idle_settings(experiment.network, &experiment.topology);  // of its transports
  }
  choose_open_recovery(experiment);
}

namespace {

auto resolved_recovery(auto& resolved) {
  return std::ranges::find(resolved, "network.transport.recovery", &ResolvedValue::path);
}

constexpr std::string_view chosen_recovery = "chosen, as packets overtake under ";

}  // namespace

void choose_open_recovery(Experiment& experiment) {
  NetworkSpec& network = experiment.network;
  const auto recovery = resolved_recovery(experiment.resolved);
  if (recovery == experiment.resolved.end() || recovery->origin != "default" ||
      !takes_disorder_for_loss(network))
    return;
  network.transport.roce.recovery = RecoveryKind::selective_repeat;
  recovery->value = name_of(RecoveryKind::selective_repeat);
  recovery->origin = fmt::format("{}{}", chosen_recovery, name_of(network.routing.policy));
  for (GivenSetting& setting : network.given)
    if (setting.path == "network.transport.reorder_tolerance") setting.needs.clear();
  mark_idle_settings(network, &experiment.topology);
}

std::string recovery_chosen(const Experiment& experiment) {
  const auto recovery = resolved_recovery(experiment.resolved);
  if (recovery == experiment.resolved.end() || !recovery->origin.starts_with(chosen_recovery))
    return "";
  return fmt::format("recovery: {}, {}", recovery->value, recovery->origin);
}

std::vector<std::string> contention_ignored(const Experiment& experiment) {
  const BackendEntry* backend = find_backend(experiment.network.backend);
  if (backend == nullptr || backend->traits->shares_links) return {};
  return contention_of(experiment);
}

}  // namespace orrery
