#include "network/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "core/base/quoted.h"
#include "core/units/unit_text.h"
#include "network/backends.h"
#include "network/packet/transports.h"
#include "network/packet_defaults.h"
#include "network/roce/switch_classes.h"

namespace orrery {

namespace {

std::int32_t npus_of(const TopologySpec& topology) {
  std::int32_t npus = 1;
  for (const LevelSpec& level : topology.levels) npus *= level.size;
  return npus;
}

Bytes packet_of(const TransportSpec& transport) { return transport.mtu + transport.link_overhead; }

bool is_in_build(TransportKind kind) {
  return kind == TransportKind::ideal || packet_transport(kind).make != nullptr;
}

// Every level has a transport of this build; links of a graph lie on ways of several levels.
void add_problems_of_transports(SpecProblems& problems, const NetworkSpec& network,
                                TransportKind usual, const TopologySpec& topology) {
  const LevelSpec* with_packets = nullptr;
  TransportKind kind_there = TransportKind::ideal;
  for (std::size_t i = 0; i < topology.levels.size(); ++i) {
    const LevelSpec& level = topology.levels[i];
    const TransportKind kind = network.transport_of(i, level.scope, usual);
    if (!is_in_build(kind))
      problems.push_back(
          {i < network.levels.size() && network.levels[i].transport ? "" : "transport.kind",
           fmt::format("level {} has the transport {}, which this build lacks: it "
                       "found no ns-3",
                       level.name, name_of(kind)),
           "install libns3-dev (3.37) and build again, or write another transport"});
    if (topology.graph == nullptr || kind == TransportKind::ideal) continue;
    if (with_packets != nullptr && kind != kind_there)
      problems.push_back(
          {"",
           fmt::format("the levels {} and {} of a graph have the transports {} and "
                       "{}, and messages cross links of both",
                       with_packets->name, level.name, name_of(kind_there), name_of(kind)),
           "write one of them, or ideal, for both"});
    with_packets = &level;
    kind_there = kind;
  }
}

bool is_among(std::span<const CongestionControlEntry> entries, std::string_view name) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const auto& entry) { return entry.name == name; });
}

// A control that the transports do not know: none of them would use it.
void add_problem_of_control(SpecProblems& problems, const NetworkSpec& network,
                            TransportKind usual) {
  if (!network.transport.congestion_control) return;
  const bool roce = network.uses(TransportKind::roce, usual);
  const bool tcp = network.uses(TransportKind::tcp, usual);
  const std::string& control = *network.transport.congestion_control;
  if ((!roce && !tcp) || (roce && is_among(roce_control_sentences(), control)) ||
      (tcp && is_among(congestion_controls(), control)))
    return;
  problems.push_back({"transport.congestion_control",
                      fmt::format("{} is not a control of {}", control,
                                  name_of(roce ? TransportKind::roce : TransportKind::tcp)),
                      "`orrery list transports` names them"});
}

void add_problems_of_slow(SpecProblems& problems, const NetworkSpec& network,
                          const TopologySpec& topology) {
  const std::vector<SlowReceiver>& slow = network.switches.slow;
  const std::int32_t npus = npus_of(topology);
  const Bytes packet =
      std::max(packet_of(network.transport), switches_for_roce(network).largest_packet);
  for (std::size_t i = 0; i < slow.size(); ++i) {
    const auto is_it = [&](const SlowReceiver& one) { return one.npu == slow[i].npu; };
    const auto here = slow.begin() + static_cast<std::ptrdiff_t>(i);
    if (slow[i].npu >= npus)
      problems.push_back({item_key("slow", i), fmt::format("there is no NPU {}", slow[i].npu),
                          fmt::format("name one of the NPUs 0 to {}", npus - 1)});
    else if (std::any_of(slow.begin(), here, is_it))
      problems.push_back({item_key("slow", i), fmt::format("NPU {} is there twice", slow[i].npu),
                          "leave one of them out"});
    else if (slow[i].buffer < packet)
      problems.push_back({item_key("slow", i),
                          fmt::format("a buffer of {} cannot hold a packet of {}",
                                      exact_text(slow[i].buffer), exact_text(packet)),
                          "make it larger"});
  }
}

// Of NDP, UET and pFabric.
void add_problems_of_placed(SpecProblems& problems, const NetworkSpec& network) {
  const std::vector<PacketClass>& classes = network.switches.classes;
  const std::int32_t priority = network.transport.roce.priority;
  if (classes.empty()) return;
  if (std::ranges::find(classes, priority, &PacketClass::priority) == classes.end())
    problems.push_back({"switch.classes",
                        fmt::format("none has the priority of the data, {}", priority),
                        "add it, or write another network.transport.priority"});
}

void add_problems_of_pias(SpecProblems& problems, const NetworkSpec& network) {
  const std::vector<Bytes> thresholds = thresholds_of(network.transport.pias);
  const std::size_t classes = thresholds.size() + 1;
  if (std::ranges::adjacent_find(thresholds, std::ranges::greater_equal{}) != thresholds.end() ||
      (!thresholds.empty() && thresholds.front() <= Bytes{}))
    problems.push_back({"transport.thresholds", "they do not ascend from above 0",
                        "order them, the smallest first"});
  else if (classes > PacketClass::count)
    problems.push_back({"transport.thresholds",
                        fmt::format("{} thresholds need {} classes, and there are 8 priorities",
                                    thresholds.size(), classes),
                        "write 7 or fewer"});
  else if (priorities_for_pias(network).size() < classes)
    problems.push_back(
        {"switch.classes",
         fmt::format("{} thresholds need {} classes of data, and there are {}", thresholds.size(),
                     classes, priorities_for_pias(network).size()),
         "add classes, or write fewer network.transport.thresholds"});
}

// Classes of the file that lack a priority of MLT's.
void add_problems_of_mlt(SpecProblems& problems, const NetworkSpec& network) {
  const MltSpec& mlt = network.transport.mlt;
  for (const auto& [key, bound] : {std::pair("transport.loss_bound.push", mlt.push),
                                   std::pair("transport.loss_bound.pull", mlt.pull)})
    if (bound.part == bound.whole)
      problems.push_back({key, "a tensor of which all may be missing", "write less than 100 %"});
  if (mlt.rate.high < mlt.rate.low)
    problems.push_back({"transport.rate.high", "it is below `low`", "write the larger one here"});
  const auto share = [](const TrainingRounds& one) {
    return static_cast<double>(one.missing.part) / static_cast<double>(one.missing.whole);
  };
  if (std::ranges::adjacent_find(mlt.rounds, std::ranges::greater_equal{}, share) !=
      mlt.rounds.end())
    problems.push_back({"transport.rounds", "what is missing does not ascend",
                        "order the points by `missing`, the smallest first"});
  const std::vector<PacketClass>& classes = network.switches.classes;
  if (classes.empty()) return;
  for (std::int32_t priority = 7 - mlt.classes; priority <= 7; ++priority)
    if (std::ranges::find(classes, priority, &PacketClass::priority) == classes.end())
      problems.push_back({"switch.classes",
                          fmt::format("MLT uses the priority {}, and none has it", priority),
                          fmt::format("name {} to 6 for data and 7 for control, or write another "
                                      "network.transport.classes",
                                      7 - mlt.classes)});
}

void add_problems_of_trimming(SpecProblems& problems, const SwitchSpec& switches) {
  const auto trims = [](const PacketClass& one) { return one.overflow == ClassOverflow::trim; };
  const auto control =
      std::ranges::find(switches.classes, ClassContent::control, &PacketClass::carries);
  const auto data = std::ranges::find_if(switches.classes, trims);
  if (data == switches.classes.end()) return;
  if (control == switches.classes.end())
    problems.push_back({"switch.classes", "no class carries what is left of trimmed packets",
                        "add {priority: 6, carries: control, buffer: 64 kB}"});
  else if (control->priority <= data->priority || data->lossless)
    problems.push_back({"switch.classes",
                        "a class that trims is lossy, and below the one that carries control",
                        "give the class that carries control the higher priority"});
}

void add_problems_of_roce(SpecProblems& problems, const NetworkSpec& network,
                          const TopologySpec& topology, TransportKind usual) {
  if (network.transport.roce.reorder_tolerance.value_or(0) < 0)
    problems.push_back({"transport.reorder_tolerance", "a packet is not late by less than none",
                        "write automatic, 0 or more"});
  const std::vector<PacketClass>& classes = network.switches.classes;
  const std::int32_t priority = network.transport.roce.priority;
  const bool has_priority =
      std::ranges::find(classes, priority, &PacketClass::priority) != classes.end();
  if (!classes.empty() && !has_priority)
    problems.push_back({"switch.classes",
                        fmt::format("none has the priority of RoCE's data, {}", priority),
                        "add it, or write another network.transport.priority"});
  else
    std::ranges::move(problems_of_headroom(network, topology, usual), std::back_inserter(problems));
}

}  // namespace

SpecProblems problems_of(const TransportSpec& spec) {
  if (spec.kind && *spec.kind != TransportKind::tcp && *spec.kind != TransportKind::ideal)
    return {};
  SpecProblems problems;
  const Bytes segment = maximum_segment(spec);
  if (spec.window < segment)
    problems.push_back({"window",
                        fmt::format("a window of {} cannot hold a segment of {}, so nothing would "
                                    "ever be sent",
                                    exact_text(spec.window), exact_text(segment)),
                        "make it larger, or network.transport.mtu smaller"});
  if (spec.receive_window && *spec.receive_window < segment)
    problems.push_back({"receive_window",
                        fmt::format("a window of {} cannot hold a segment of {}, so it would stay "
                                    "closed for ever",
                                    exact_text(*spec.receive_window), exact_text(segment)),
                        "make it larger, or network.transport.mtu smaller"});
  return problems;
}

SpecProblems problems_of(const SwitchSpec& spec, Bytes packet) {
  SpecProblems problems;
  if (spec.buffer < packet)
    problems.push_back({"buffer",
                        fmt::format("a buffer of {} cannot hold a packet of {}",
                                    exact_text(spec.buffer), exact_text(packet)),
                        "make it larger, or packets smaller (network.transport.mtu of TCP, payload "
                        "of others)"});
  if (spec.red_maximum < spec.red_minimum)
    problems.push_back({"red_maximum", "it is below red_minimum", "write the larger one here"});
  if (spec.loss >= 1)
    problems.push_back({"loss", "links that lose everything", "write a probability below 1"});
  for (std::size_t i = 0; i < spec.classes.size(); ++i) {
    const PacketClass& one = spec.classes[i];
    if (i > 0 && one.priority <= spec.classes[i - 1].priority)
      problems.push_back({item_key("classes", i), "the priorities do not ascend",
                          "order the classes by `priority`, the smallest first"});
    if (one.ecn && one.ecn->maximum < one.ecn->minimum)
      problems.push_back({item_key("classes", i), "the ramp's maximum is below its minimum",
                          "write the larger one as `maximum`"});
  }
  return problems;
}

SpecProblems problems_of(const FluidSpec& fluid) {
  for (std::size_t i = 0; i < fluid.efficiency.size(); ++i) {
    if (fluid.efficiency[i].efficiency.part == 0)
      return {{item_key("efficiency", i), "a message that can use nothing never ends",
               "write a share of more than 0 %"}};
    if (i > 0 && fluid.efficiency[i].size <= fluid.efficiency[i - 1].size)
      return {{item_key("efficiency", i), "the sizes do not ascend",
               "order the points by `size`, the smallest first"}};
  }
  const Share tolerance = fluid.completion_tolerance;
  if (tolerance.part * 1000 > tolerance.whole)
    return {{"completion_tolerance", "messages would end later than the model allows",
             "write 0.1 % or less"}};
  return {};
}

SpecProblems problems_of(const CreditSpec& credit) {
  if (!credit.buffer || *credit.buffer >= credit.segment) return {};
  return {{"buffer",
           fmt::format("a buffer of {} cannot hold a segment of {}, so nothing would ever be sent",
                       exact_text(*credit.buffer), exact_text(credit.segment)),
           "make it larger, or network.credit.segment smaller"}};
}

SpecProblems problems_of(const RoutingSpec& routing, const TopologySpec& topology) {
  if (topology.graph == nullptr || routing.policy != RoutingPolicy::dimension_order) return {};
  return {{"policy", "the platform is a graph and has no dimensions",
           "write ecmp, or make the platform of levels"}};
}

SpecProblems problems_of_packets(const NetworkSpec& network, const TopologySpec& topology) {
  SpecProblems problems;
  const BackendEntry* backend = find_backend(network.backend);
  if (network.routing.policy == RoutingPolicy::ecmp_expected && backend != nullptr &&
      !backend->traits->has_flows)
    problems.push_back(
        {"routing.policy",
         fmt::format("a packet of {} takes one path, no part of each", network.backend),
         "write ecmp or spray, or backend: fluid"});
  if (needs_packets(network.routing.policy) && backend != nullptr && !backend->traits->has_packets)
    problems.push_back({"routing.policy",
                        fmt::format("{} is a choice for each packet, and {} has none",
                                    name_of(network.routing.policy), network.backend),
                        "write backend: packet, or ecmp or spray"});
  const Bytes packet = full_packet_of(network);
  const std::size_t levels = std::min(network.levels.size(), topology.levels.size());
  for (std::size_t i = 0; i < levels; ++i)
    if (network.levels[i].buffer && *network.levels[i].buffer < packet)
      problems.push_back({"",
                          fmt::format("the buffer of level {}, {}, cannot hold a packet of {}",
                                      topology.levels[i].name,
                                      exact_text(*network.levels[i].buffer), exact_text(packet)),
                          "make it larger, or packets smaller (network.transport.mtu of TCP, "
                          "payload of others)"});
  if (backend != nullptr && backend->traits->has_packets) {
    add_problems_of_transports(problems, network, backend->traits->transport, topology);
    add_problem_of_control(problems, network, backend->traits->transport);
    if (network.uses(TransportKind::roce, backend->traits->transport))
      add_problems_of_roce(problems, network, topology, backend->traits->transport);
    if (network.uses(TransportKind::ndp, backend->traits->transport) ||
        network.uses(TransportKind::uet, backend->traits->transport) ||
        network.uses(TransportKind::pfabric, backend->traits->transport))
      add_problems_of_placed(problems, network);
    if (network.uses(TransportKind::pias, backend->traits->transport))
      add_problems_of_pias(problems, network);
    if (network.uses(TransportKind::mlt, backend->traits->transport))
      add_problems_of_mlt(problems, network);
    add_problems_of_trimming(problems, network.switches);
  } else if (network.transport.kind) {  // whatever the backend: it may still be open
    add_problem_of_control(problems, network, *network.transport.kind);
  }
  add_problems_of_slow(problems, network, topology);
  const std::int32_t npus = npus_of(topology);
  for (const WatchedPair& pair : network.transport.watched)
    if (pair.from == pair.to || std::max(pair.from, pair.to) >= npus)
      problems.push_back(
          {"",
           fmt::format("transport.watch: from {} to {} there is no connection", pair.from, pair.to),
           fmt::format("name two of the NPUs 0 to {}", npus - 1)});
  return problems;
}

SpecProblems problems_of(const NetworkSpec& network, const TopologySpec& topology) {
  SpecProblems problems;
  if (find_backend(network.backend) == nullptr)
    problems.push_back(
        {"backend", in_quotes(network.backend) + " is not a backend", "`orrery list` names them"});
  add_below(problems, "transport", problems_of(network.transport));
  add_below(problems, "switch", problems_of(network.switches, full_packet_of(network)));
  add_below(problems, "fluid", problems_of(network.fluid));
  add_below(problems, "credit", problems_of(network.credit));
  add_below(problems, "routing", problems_of(network.routing, topology));
  add_below(problems, "", problems_of_packets(network, topology));
  return problems;
}

}  // namespace orrery
