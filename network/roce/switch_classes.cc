#include "network/roce/switch_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/units/unit_text.h"
#include "network/packet/headroom.h"
#include "network/packet/wire_format.h"
#include "network/transport/congestion_control.h"

namespace orrery {

std::vector<PacketClass> classes_for_roce(const NetworkSpec& spec) {
  if (!spec.switches.classes.empty()) return spec.switches.classes;
  constexpr std::int32_t answers = 6;
  PacketClass data;
  data.priority = spec.transport.roce.priority;
  data.lossless = true;
  data.ecn = EcnRamp{
      .minimum = bytes(4'000), .maximum = bytes(16'000), .per_gigabit = true, .probability = 0.2};
  PacketClass control;
  control.priority = answers;
  control.carries = ClassContent::control;
  if (data.priority == answers) return {data};
  std::vector<PacketClass> classes{data, control};
  if (data.priority > answers) std::swap(classes[0], classes[1]);
  return classes;
}

std::vector<PacketClass> classes_for_pias(const NetworkSpec& spec) {
  if (!spec.switches.classes.empty()) return spec.switches.classes;
  constexpr Bytes mark_at = bytes(9'750);  // for each Gb/s
  const auto more = static_cast<std::int32_t>(thresholds_of(spec.transport.pias).size());
  std::vector<PacketClass> classes;
  for (std::int32_t priority = PacketClass::count - 1 - more; priority < PacketClass::count;
       ++priority) {
    PacketClass& one = classes.emplace_back();
    one.priority = priority;
    one.ecn = EcnRamp{.minimum = mark_at,
                      .maximum = mark_at,
                      .per_gigabit = true,
                      .on_leaving = false,
                      .of_port = true};
  }
  return classes;
}

std::vector<std::uint8_t> priorities_for_pias(const NetworkSpec& spec) {
  std::vector<std::uint8_t> priorities;
  const std::size_t most = thresholds_of(spec.transport.pias).size() + 1;
  const std::vector<PacketClass> classes = classes_for_pias(spec);
  for (std::size_t i = classes.size(); i-- > 0;)
    if (classes[i].carries == ClassContent::data && priorities.size() < most)
      priorities.push_back(static_cast<std::uint8_t>(classes[i].priority));
  return priorities;
}

SwitchSpec switches_for_roce(const NetworkSpec& spec) {
  constexpr std::int32_t most_hops = 8;
  const RoceSpec roce = roce_of(spec.transport);
  const ControlEntry* control = find_roce_control(roce.congestion_control);
  const bool telemetry = control != nullptr && control->wants_telemetry;
  SwitchSpec switches = spec.switches;
  switches.classes = classes_for_roce(spec);
  switches.largest_packet = roce.payload + bytes(wire::packet + wire::reth) +
                            bytes(telemetry ? wire::telemetry(most_hops) : 0);
  switches.headroom_beside_buffer = std::none_of(
      spec.given.begin(), spec.given.end(),
      [](const GivenSetting& setting) { return setting.path == "network.switch.buffer"; });
  return switches;
}

namespace {

// What a switch sets aside for one of its links.
Bytes set_aside_for(const SwitchSpec& switches, const Link& link) {
  Bytes sum;
  for (const PacketClass& one : switches.classes)
    if (one.lossless && switches.pfc.enabled)
      sum += switches.port_reserve + headroom_of(one, switches, link);
  return sum;
}

void add_problem_of_size(SpecProblems& problems, const SwitchSpec& switches, Bytes buffer,
                         Bytes needed, bool is_usual, const std::string& whose) {
  const Bytes least = needed + switches.largest_packet;
  if (needed == Bytes{} || buffer >= least) return;
  problems.push_back(
      {is_usual ? "switch.buffer" : "",
       fmt::format("{} has {} of memory, and reserve and headroom of its lossless classes need "
                   "{}",
                   whose, exact_text(buffer), exact_text(least)),
       fmt::format("write more than {} as buffer, as what may be lost (acknowledgements, too) "
                   "shares what is beyond that; or a smaller headroom of the class",
                   exact_text(least))});
}

// Of the nodes of a graph those that packets may pass: not those between NPUs of levels without
// packets, as the switch inside a server is.
std::vector<bool> nodes_with_packets(const GraphSpec& graph, const std::vector<bool>& has_packets) {
  std::vector<bool> passed(graph.nodes.size());
  const auto ends_here = [&](NodeId node) {
    return !graph.npus_forward &&
           graph.nodes[static_cast<std::size_t>(node.value)].kind == NodeKind::npu;
  };
  for (const Link& link : graph.links)
    if (!ends_here(link.from) || has_packets[static_cast<std::size_t>(link.level)])
      passed[static_cast<std::size_t>(link.to.value)] = true;
  return passed;
}

}  // namespace

SpecProblems problems_of_headroom(const NetworkSpec& spec, const TopologySpec& topology,
                                  TransportKind usual) {
  SpecProblems problems;
  std::vector<bool> has_packets;
  for (std::size_t i = 0; i < topology.levels.size(); ++i)
    has_packets.push_back(spec.transport_of(i, topology.levels[i].scope, usual) !=
                          TransportKind::ideal);
  const SwitchSpec switches = switches_for_roce(spec);
  const auto own = [&](std::size_t level) {
    return level < spec.levels.size() ? spec.levels[level].buffer : std::nullopt;
  };
  if (topology.graph != nullptr) {
    if (switches.headroom_beside_buffer) return problems;
    std::vector<Bytes> needed(topology.graph->nodes.size());
    for (const Link& link : topology.graph->links)
      needed[static_cast<std::size_t>(link.to.value)] += set_aside_for(switches, link);
    const std::vector<bool> passed = nodes_with_packets(*topology.graph, has_packets);
    for (std::size_t node = 0; node < needed.size() && problems.empty(); ++node)
      if (topology.graph->nodes[node].kind == NodeKind::switched && passed[node])
        add_problem_of_size(problems, switches, switches.buffer, needed[node], true,
                            topology.graph->nodes[node].name);
    return problems;
  }
  for (std::size_t i = 0; i < topology.levels.size(); ++i) {
    const LevelSpec& level = topology.levels[i];
    if (level.kind != LevelKind::switched || !has_packets[i]) continue;
    if (switches.headroom_beside_buffer && !own(i)) continue;
    const Link link{.from = {},
                    .to = {},
                    .level = static_cast<std::int32_t>(i),
                    .bandwidth = level.bandwidth,
                    .latency = level.latency};
    add_problem_of_size(problems, switches, own(i).value_or(switches.buffer),
                        set_aside_for(switches, link) * level.size, !own(i),
                        "a switch of level " + level.name);
  }
  return problems;
}

std::uint8_t priority_of_answers(const NetworkSpec& spec) {
  for (const PacketClass& one : classes_for_roce(spec))
    if (one.carries == ClassContent::control) return static_cast<std::uint8_t>(one.priority);
  return static_cast<std::uint8_t>(spec.transport.roce.priority);
}

std::uint8_t priority_of_highest(const NetworkSpec& spec) {
  std::int32_t highest = spec.transport.roce.priority;
  for (const PacketClass& one : classes_for_roce(spec))
    if (one.carries == ClassContent::data) highest = std::max(highest, one.priority);
  return static_cast<std::uint8_t>(highest);
}

}  // namespace orrery
