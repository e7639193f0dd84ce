#include "simulation/result/network_notices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/units/unit_text.h"
#include "network/backends.h"
#include "network/credit_room.h"

namespace orrery {

namespace {

// TCP's switches mark by RED or by a class.
bool dctcp_sees_no_marks(const NetworkSpec& spec) {
  const BackendEntry* backend = find_backend(spec.backend);
  return backend != nullptr && backend->traits->has_packets &&
         spec.uses(TransportKind::tcp, backend->traits->transport) &&
         spec.transport.congestion_control == "dctcp" &&
         spec.switches.queue == QueueKind::drop_tail &&
         std::ranges::none_of(spec.switches.classes,
                              [](const PacketClass& one) { return one.ecn.has_value(); });
}

// What is said of a key that only another transport has.
std::string_view key_of_others(const GivenSetting& setting) {
  return setting.path == "network.transport.mtu" ? "; of others write network.transport.payload"
                                                 : "";
}

}  // namespace

std::vector<std::string> setting_notices(const NetworkSpec& spec,
                                         std::span<const std::string> unused) {
  std::vector<std::string> notices;
  for (const GivenSetting& setting : spec.given)
    if (!setting.needs.empty() &&
        std::find(unused.begin(), unused.end(), setting.path) == unused.end())
      notices.push_back(fmt::format("{} has no effect without {}{}", setting.path, setting.needs,
                                    key_of_others(setting)));
  if (dctcp_sees_no_marks(spec))
    notices.push_back(
        "switches mark nothing, so dctcp slows down for losses only: write network.switch.queue: "
        "red");
  const auto of_data = std::ranges::find(spec.switches.classes, spec.transport.roce.priority,
                                         &PacketClass::priority);
  if (spec.transport.kind == TransportKind::pfabric && of_data != spec.switches.classes.end() &&
      !of_data->least_first)
    notices.push_back(
        fmt::format("pfabric's queues send in the order in which packets come: the class of its "
                    "data, priority {}, has no least_first: true",
                    of_data->priority));
  return notices;
}

bool stores_whole_messages(const NetworkSpec& spec) {
  return find_backend(spec.backend)->traits->carriage == Carriage::stored_whole &&
         !spec.queue.segment;
}

std::vector<std::string> carriage_notices(const NetworkSpec& spec) {
  if (!stores_whole_messages(spec)) return {};
  return {
      fmt::format("{} sends a message on when a node has all of it: over N links it takes N times "
                  "as long. Write network.queue.segment: 64 kB for switches that do not wait",
                  spec.backend)};
}

std::vector<std::string> bus_notices(const Topology& topology) {
  std::vector<Bandwidth> from_npus(static_cast<std::size_t>(topology.node_count()));
  const auto at = [&](NodeId node) -> Bandwidth& {
    return from_npus[static_cast<std::size_t>(node.value)];
  };
  for (const Link& link : topology.links())
    if (link.from.value < topology.npu_count()) at(link.to) += link.bandwidth;
  for (const Link& link : topology.links()) {
    if (topology.node_kind(link.from) != NodeKind::nic || link.to.value < topology.npu_count() ||
        at(link.from) == Bandwidth{} || at(link.from) >= link.bandwidth)
      continue;
    return {fmt::format(
        "{} can send {}, and its NPUs bring it {}, which is what it sends: raise bus_bandwidth of "
        "the server (server: {{preset: ..., bus_bandwidth: {}}}; in a topology node:), if its PCIe "
        "or C2C has more",
        topology.node_name(link.from), to_text(link.bandwidth), to_text(at(link.from)),
        to_text(link.bandwidth))};
  }
  return {};
}

namespace {

void add_late_faults(std::vector<std::string>& notices, const NetworkSpec& spec, Duration finish) {
  const Fault* first = nullptr;
  bool more = false;
  for (const Fault& fault : spec.routing.faults) {
    if (fault.condition == LinkCondition::up || fault.at.since_start < finish) continue;
    more = more || (first != nullptr && fault.at != first->at);
    if (first == nullptr || fault.at < first->at) first = &fault;
  }
  if (first != nullptr)
    notices.push_back(
        fmt::format("network.faults: what begins at {}{} changes nothing: the run is over after {}",
                    to_text(first->at.since_start), more ? " or later" : "", to_text(finish)));
}

// Servers fill leaf by leaf, as many on each as the written leaves need. Six on four leaves are two
// on each of three.
void add_unbuilt_leaves(std::vector<std::string>& notices, const Experiment& experiment,
                        const Topology& topology) {
  const auto written = std::ranges::find(experiment.resolved, "platform.topology.leaf_spine.leaves",
                                         &ResolvedValue::path);
  if (written == experiment.resolved.end()) return;
  std::int64_t leaves = 0;
  for (std::int32_t node = topology.npu_count(); node < topology.node_count(); ++node)
    leaves += topology.node_name({node}).starts_with("leaf") ? 1 : 0;
  const std::int64_t asked = std::strtoll(written->value.c_str(), nullptr, 10);
  if (leaves == 0 || asked <= leaves) return;
  notices.push_back(fmt::format(
      "leaf_spine.leaves: {} are written, and {} are built: servers fill one leaf after the other, "
      "and the last leaves get none: write leaves: {}, or a number of nodes that fills {}",
      asked, leaves, leaves, asked));
}

constexpr double least_difference = 0.02;

// Ports are whole: of six ports down, two lead up at 3:1, and one at 6:1. A leaf that is not full
// tapers less.
void add_unbuilt_taper(std::vector<std::string>& notices, const Experiment& experiment,
                       const Topology& topology) {
  const auto written = std::ranges::find(
      experiment.resolved, "platform.topology.leaf_spine.oversubscription", &ResolvedValue::path);
  if (written == experiment.resolved.end()) return;
  const double asked = std::strtod(written->value.c_str(), nullptr);
  std::int64_t down = 0, up = 0;
  std::int32_t links_down = 0, links_up = 0;
  for (const Link& link : topology.links()) {
    if (topology.node_name(link.from) != "leaf0") continue;
    const bool leads_up = topology.node_name(link.to).starts_with("spine");
    (leads_up ? up : down) += link.bandwidth.value;
    ++(leads_up ? links_up : links_down);
  }
  if (up == 0 || asked < 1) return;
  const double built = static_cast<double>(down) / static_cast<double>(up);
  if (std::abs(built / asked - 1) < least_difference) return;
  notices.push_back(fmt::format(
      "leaf_spine.oversubscription: {:.3g} is written, and {:.3g} is built: the first leaf has {} "
      "links down and {} up",
      asked, built, links_down, links_up));
}

// The numbers in "[1, 3]", which is what a key of the fat tree has; none of another topology.
std::vector<std::int32_t> of_fat_tree(const Experiment& experiment, std::string_view key) {
  const std::string path = fmt::format("platform.topology.fat_tree.{}", key);
  const auto found = std::ranges::find(experiment.resolved, path, &ResolvedValue::path);
  if (found == experiment.resolved.end()) return {};
  std::string numbers = found->value;
  std::ranges::replace_if(
      numbers, [](char sign) { return sign < '0' || sign > '9'; }, ' ');
  std::istringstream words(numbers);
  return {std::istream_iterator<std::int32_t>(words), {}};
}

}  // namespace

std::vector<std::string> idle_notices(const Experiment& experiment, const Topology& topology,
                                      Duration finish) {
  std::vector<std::string> notices;
  add_late_faults(notices, experiment.network, finish);
  add_unbuilt_leaves(notices, experiment, topology);
  add_unbuilt_taper(notices, experiment, topology);
  const auto tapers = of_fat_tree(experiment, "oversubscription");  // from the leaves upwards
  const auto tiers = of_fat_tree(experiment, "tiers");
  if (std::ranges::all_of(tapers, [](std::int32_t taper) { return taper == 1; })) return notices;
  std::vector<int> links(static_cast<std::size_t>(topology.node_count()));
  const auto is_switch = [&](NodeId node) {
    return topology.node_kind(node) == NodeKind::switched;
  };
  for (const Link& link : topology.links())
    if (is_switch(link.from))
      links[static_cast<std::size_t>(link.from.value)] += is_switch(link.to) ? 1 : 2;
  std::int32_t ends = 0;
  NodeId first;
  for (std::int32_t node = topology.node_count() - 1; node >= topology.npu_count(); --node) {
    if (links[static_cast<std::size_t>(node)] != 1) continue;
    ++ends;
    first = {node};
  }
  if (ends == 0) return notices;
  const bool at_the_top =
      !tiers.empty() && std::ssize(tapers) + 1 == tiers.front() && tapers.back() > 1;
  notices.push_back(fmt::format(
      "{}{} joined to one other only: no message passes there{}", topology.node_name(first),
      ends > 1 ? fmt::format(" and {} more switches are", ends - 1) : " is",
      at_the_top
          ? fmt::format(", and the oversubscription of {}:1 below does not count", tapers.back())
          : ""));
  return notices;
}

bool takes_disorder_for_loss(const NetworkSpec& spec) {
  const RoutingPolicy policy = spec.routing.policy;
  const bool disorder = policy == RoutingPolicy::spray || policy == RoutingPolicy::drill ||
                        policy == RoutingPolicy::adaptive;
  const auto kind = spec.transport.kind.value_or(find_backend(spec.backend)->traits->transport);
  return disorder && kind == TransportKind::roce &&
         spec.transport.roce.recovery == RecoveryKind::go_back_n;
}

std::vector<std::string> disorder_notices(const NetworkSpec& spec, std::uint64_t retransmissions) {
  if (retransmissions == 0 || !takes_disorder_for_loss(spec)) return {};
  return {
      fmt::format("packets overtake each other under {}, and go_back_n sends again what is "
                  "overtaken: write network.transport.recovery: selective_repeat",
                  name_of(spec.routing.policy))};
}

namespace {

// The paused links from which one comes to the NPU over paused links only, that to its NIC first.
std::vector<const PauseStatistics*> pauses_that_end_at(NodeId npu, const Topology& topology,
                                                       const PacketStatistics& packets) {
  std::vector<const PauseStatistics*> found;
  std::vector<NodeId> ends{npu};
  for (const Link& link : topology.links())  // its NICs
    if (link.to == npu && topology.node_kind(link.from) == NodeKind::nic) ends.push_back(link.from);
  for (std::size_t i = 0; i < ends.size(); ++i)
    for (const PauseStatistics& pause : packets.pauses) {
      const Link& link = topology.links()[pause.link];
      if (link.to != ends[i]) continue;
      found.push_back(&pause);
      if (std::ranges::find(ends, link.from) == ends.end()) ends.push_back(link.from);
    }
  return found;
}

// A receiver that pauses its switch is the root of a storm: the switch pauses others in turn.
std::string notice_of(const ReceiverStatistics& receiver, const Topology& topology,
                      const PacketStatistics& packets) {
  constexpr std::size_t most_named = 8;
  const auto pauses = pauses_that_end_at(receiver.npu, topology, packets);
  const std::string name = topology.node_name(receiver.npu);
  if (pauses.empty() && receiver.drops == 0) return {};
  if (pauses.empty())
    return fmt::format("{} takes {} (network.slow): its NIC lost {} packets", name,
                       to_text(receiver.rate), receiver.drops);
  std::string text =
      fmt::format("{}: the root is {}, which takes {} (network.slow). Paused: ",
                  pauses.size() > 1 ? "PFC storm" : "PFC", name, to_text(receiver.rate));
  for (std::size_t i = 0; i < std::min(pauses.size(), most_named); ++i)
    text += fmt::format("{}{} for {}", i > 0 ? ", " : "", topology.link_name(pauses[i]->link),
                        to_text(pauses[i]->time));
  if (pauses.size() > most_named) text += fmt::format(" and {} more", pauses.size() - most_named);
  return text;
}

}  // namespace

std::vector<std::string> failed_links(const NetworkSpec& spec, const Topology& topology) {
  std::vector<std::string> names;
  for (const Fault& fault : spec.routing.faults)
    if (fault.condition == LinkCondition::down && fault.link)
      names.push_back(topology.link_name(*fault.link));
  return names;
}

Duration delayed_by_faults(const NetworkSpec& spec, Duration finish) {
  const TransportSpec& transport = spec.transport;
  const TransportKind kind = transport.kind.value_or(find_backend(spec.backend)->traits->transport);
  const Duration timer = kind == TransportKind::tcp ? transport.minimum_rto : rto_of(transport);
  std::set<Time> begun;  // a link fails both ways, a node with all its links
  for (const Fault& fault : spec.routing.faults)
    if (fault.condition == LinkCondition::down && fault.at.since_start < finish)
      begun.insert(fault.at);
  return (spec.routing.reroute_delay + timer) * static_cast<std::int64_t>(begun.size());
}

std::optional<Bytes> room_of_credits(const NetworkSpec& spec, const Topology& topology,
                                     const std::string& name) {
  const CreditSpec& credit = spec.credit;
  if (spec.backend != "credit" || !credit.buffer) return {};
  const std::int64_t had = credit.buffer->value / credit.segment.value;
  std::int64_t needed = had;
  for (const Link& link : topology.links())
    if (topology.levels()[static_cast<std::size_t>(link.level)].name == name)
      needed =
          std::max(needed, segments_of_full_link(credit.segment, link.bandwidth, link.latency));
  if (had * 5 > needed * 4) return {};
  return credit.segment * needed;
}

namespace {

// So many times as long a message alone takes on a level for a window of TCP; 1 with others.
double stretch_by_window(const NetworkSpec& spec, const Topology& topology,
                         const std::string& name) {
  const auto levels = topology.levels();
  const auto found = std::ranges::find(levels, name, &LevelSpec::name);
  if (found == levels.end()) return 1;
  const auto level = static_cast<std::size_t>(found - levels.begin());
  if (spec.transport_of(level, found->scope, find_backend(spec.backend)->traits->transport) !=
      TransportKind::tcp)
    return 1;
  const Duration round_trip = topology.path_latency(static_cast<int>(level), 0, 1) * 2;
  const Duration full = transfer_time(spec.transport.window, found->bandwidth);
  return std::max(1.0, static_cast<double>(round_trip.value) / static_cast<double>(full.value));
}

}  // namespace

bool windows_hold(const TimePart& part, double carried, const NetworkSpec& spec,
                  const Topology& topology, const std::optional<PacketResult>& packets) {
  constexpr double half = 0.5, considerable = 0.2;
  if (!packets) return false;
  const double lost = carried * (stretch_by_window(spec, topology, part.level) - 1);
  if (lost > 0) return lost >= half * static_cast<double>(part.rest.value);
  return part.rest > std::max(part.bandwidth, part.latency) && packets->roce &&
         packets->roce->held_by_window >= considerable;
}

std::vector<std::string> packet_notices(const NetworkSpec& spec, const Topology& topology,
                                        const PacketStatistics& packets) {
  std::vector<std::string> notices;
  for (std::size_t i = 0; i < spec.transport.watched.size(); ++i) {
    const NodeId from{spec.transport.watched[i].from}, to{spec.transport.watched[i].to};
    const auto is_it = [&](const FlowStatistics& flow) {
      return flow.source == from && flow.target == to;
    };
    if (std::none_of(packets.flows.begin(), packets.flows.end(), is_it))
      notices.push_back(
          fmt::format("network.transport.watch[{}] saw nothing: there was no connection {} -> {}",
                      i, topology.node_name(from), topology.node_name(to)));
  }
  for (const ReceiverStatistics& receiver : packets.receivers)
    if (std::string notice = notice_of(receiver, topology, packets); !notice.empty())
      notices.push_back(std::move(notice));
  for (std::size_t i = 0; i < packets.captures.size(); ++i) {
    const CaptureStatistics& capture = packets.captures[i];
    if (capture.packets == 0)
      notices.push_back(fmt::format(
          "network.transport.capture[{}] is empty: no such packet crossed {}", i, capture.link));
    else if (capture.left_out > 0)
      notices.push_back(
          fmt::format("network.transport.capture[{}] has the first {} of {} packets: raise "
                      "network.transport.capture_limit for more",
                      i, capture.packets, capture.packets + capture.left_out));
  }
  return notices;
}

}  // namespace orrery
