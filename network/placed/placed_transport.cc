#include "network/placed/placed_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "network/packet/what_waits.h"
#include "network/packet/wire_format.h"
#include "network/routing/flow_hash.h"

namespace orrery {
namespace {

std::uint64_t key_of(NodeId from, NodeId to) {
  return static_cast<std::uint64_t>(from.value) << 32 | static_cast<std::uint32_t>(to.value);
}

RoutingSpec routing_of(const TransportParts& parts, RoutingPolicy usual) {
  RoutingSpec routing = parts.spec.routing;
  if (routing.policy == RoutingPolicy::automatic && !parts.topology.structural())
    routing.policy = usual;
  return routing;
}

std::uint8_t priority_of_answers(const PlacedSettings& settings) {
  for (const PacketClass& one : settings.switches.classes)
    if (one.carries == ClassContent::control) return static_cast<std::uint8_t>(one.priority);
  return static_cast<std::uint8_t>(settings.priority);
}

}  // namespace

PlacedTransport::PlacedTransport(const TransportParts& parts, PlacedSettings settings)
    : queue_(parts.queue),
      topology_(parts.topology),
      listener_(parts.listener),
      settings_(std::move(settings)),
      data_priority_(static_cast<std::uint8_t>(settings_.priority)),
      answer_priority_(priority_of_answers(settings_)),
      has_slow_receivers_(!settings_.switches.slow.empty()),
      handler_(parts.queue.add_handler(*this)),
      fabric_(parts.queue, parts.topology, settings_.switches, parts.spec.level_buffers(),
              parts.spec.seed, *this),
      paths_(parts.queue, parts.topology, routing_of(parts, settings_.usual_policy), fabric_,
             *this),
      ports_(parts.topology.links().size()),
      pullers_(static_cast<std::size_t>(parts.topology.node_count())) {}

// --- Pairs ---

void PlacedTransport::send(NodeId from, NodeId to, MessageSlot message, Bytes size,
                           std::uint8_t label, TrafficClass) {
  PlacedPair& pair = pair_between(from, to);
  if (pair.ledger.all_there()) pair.progress_at = queue_.now();
  pair.add(message, size, label);
  if (settings_.pulls) begin_window(pair);
  if (pair.forward.paths.empty() || pair.backward.paths.empty())
    paths_.require_paths(from, to, pair.forward, pair.backward);
  update(pair.index);
}

PlacedPair& PlacedTransport::pair_between(NodeId from, NodeId to) {
  const auto [found, is_new] =
      pair_of_.try_emplace(key_of(from, to), static_cast<std::uint32_t>(pairs_.size()));
  if (!is_new) return *pairs_[found->second];
  pairs_.push_back(std::make_unique<PlacedPair>(from, to, found->second, settings_.payload.value));
  PlacedPair& pair = *pairs_.back();
  choose_paths(pair);
  const PathFacts facts = facts_of(pair);
  pair.round_trip = facts.round_trip;
  if (settings_.make_control) pair.control = settings_.make_control(facts);
  const double window = settings_.initial_window
                            ? static_cast<double>(settings_.initial_window->value)
                            : settings_.initial_bdps * static_cast<double>(facts.line.value) *
                                  static_cast<double>(facts.round_trip.value) * 1e-12;
  pair.initial = static_cast<std::uint64_t>(
      std::max(1.0, std::ceil(window / static_cast<double>(settings_.payload.value))));
  ++counters_.connections;
  return pair;
}

void PlacedTransport::choose_paths(PlacedPair& pair) {
  pair.forward = paths_.choose(pair.from, pair.to, 0);
  pair.backward = paths_.choose(pair.to, pair.from, 0);
  pair.asks_at = line_of(pair.backward);
  for (const PathIndex path : pair.forward.paths) {
    const LinkIndex link = fabric_.first_link(path);
    if (ports_[link] != nullptr) continue;
    ports_[link] = std::make_unique<NicPort>();
    fabric_.pull_from(link);
  }
}

// Of all the ports of its NPU that a pair leaves over, as they are built; 0: it has no path.
Bandwidth PlacedTransport::line_of(const PathChoice& choice) const {
  Bandwidth sum;
  std::vector<LinkIndex> ports;
  for (const PathIndex path : choice.paths) {
    const LinkIndex port = fabric_.first_link(path);
    if (std::ranges::find(ports, port) != ports.end()) continue;
    ports.push_back(port);
    sum += topology_.links()[port].bandwidth;
  }
  return sum;
}

// Of the links as they are built; a pair without a path keeps the facts of its link's kind.
PathFacts PlacedTransport::facts_of(const PlacedPair& pair) {
  PathFacts facts{.line = gigabits_per_second(100),
                  .round_trip = microseconds(10),
                  .packet = settings_.payload,
                  .hops = 1};
  const std::vector<LinkIndex> there = paths_.links(pair.from, pair.to, 0);
  const std::vector<LinkIndex> back = paths_.links(pair.to, pair.from, 0);
  if (there.empty() || back.empty()) return facts;
  facts.hops = static_cast<std::int32_t>(there.size()) - 1;
  facts.line = pair.forward.paths.empty() ? topology_.links()[there.front()].bandwidth
                                          : line_of(pair.forward);
  facts.round_trip = {};
  const Bytes data = bytes(wire::packet) + settings_.payload;
  for (const auto& [links, size] : {std::pair(&there, data), std::pair(&back, trimmed_bytes)})
    for (const LinkIndex link : *links)
      facts.round_trip +=
          topology_.links()[link].latency + transfer_time(size, topology_.links()[link].bandwidth);
  return facts;
}

// --- Links that fail ---

void PlacedTransport::links_changed(std::span<const LinkIndex> links) {
  for (const LinkIndex link : links) fabric_.set_bandwidth(link, paths_.bandwidth(link));
}

void PlacedTransport::routes_changed() {
  ways_back_.clear();
  for (std::uint32_t index = 0; index < pairs_.size(); ++index) {
    PlacedPair& pair = *pairs_[index];
    choose_paths(pair);
    if (pair.ledger.all_there()) continue;
    paths_.require_paths(pair.from, pair.to, pair.forward, pair.backward);
    update(index);
  }
}

// --- Packets of the fabric ---

void PlacedTransport::keep(PacketIndex packet, const Carried& what) {
  if (packet >= carried_.size()) carried_.resize(packet + 1);
  carried_[packet] = what;
}

void PlacedTransport::packet_arrived(PacketIndex packet, bool marked) {
  const Carried carried = carried_[packet];
  switch (carried.kind) {
    case PacketKind::data:
      return take_data(packet, carried, marked);
    case PacketKind::acknowledgement:
      return take_acknowledgement(carried);
    case PacketKind::refusal:
    case PacketKind::returned:
      return take_refusal(carried);
    case PacketKind::pull:
      return take_pull(carried);
  }
}

void PlacedTransport::packet_left(PacketIndex packet) {
  Carried& carried = carried_[packet];
  if (!carried.tells_left) return;
  carried.tells_left = false;
  listener_.message_left(carried.message);
}

// What is lost has left, too: it will be sent again.
void PlacedTransport::packet_lost(PacketIndex packet) {
  if (carried_[packet].kind != PacketKind::data) return;
  packet_left(packet);
  if (settings_.returns && fabric_.trimmed(packet)) return_header(packet);
}

// A switch without room for a header sends it back, if it finds room on that way.
void PlacedTransport::return_header(PacketIndex packet) {
  Carried header = carried_[packet];
  header.kind = PacketKind::returned;
  const NodeId sender = pairs_[header.pair]->from, here = fabric_.lost_at(packet);
  const auto [way, is_new] = ways_back_.try_emplace(key_of(here, sender));
  if (is_new) way->second = paths_.choose(here, sender, 0);
  if (way->second.paths.empty()) return;
  ++counters_.returned;
  const PacketIndex back = fabric_.allocate();
  keep(back, header);
  fabric_.send(back, {.path = way->second.take(),
                      .wire_bytes = static_cast<std::uint32_t>(trimmed_bytes.value),
                      .kind = acknowledgement_kind,
                      .priority = answer_priority_,
                      .flow = header.pair});
}

// --- The receiver ---

void PlacedTransport::take_data(PacketIndex packet, const Carried& carried, bool marked) {
  PlacedPair& pair = *pairs_[carried.pair];
  const bool trimmed = fabric_.trimmed(packet);
  Carried answer = carried;
  answer.kind = trimmed ? PacketKind::refusal : PacketKind::acknowledgement;
  answer.marked = marked;
  answer.tells_left = false;
  answer.penalty = penalty_of(pair.to);
  if (trimmed) {
    ++pair.trims_seen;
    ++counters_.refusals;
    packet_left(packet);
  } else if (!carried.again) {
    pair.order.came(carried.number);
  }
  if (settings_.pulls) promise_pulls(pair, carried);
  answer.count = pair.promised;
  send_back(answer);
  if (trimmed || !pair.arrivals.came(carried.number)) return;
  PlacedMessage& message = pair.message_of(carried.number);
  if (--message.missing == 0) listener_.message_delivered(message.slot);
}

// UET leaves to receivers how they choose it. Ours: by how full the NIC is.
std::uint8_t PlacedTransport::penalty_of(NodeId receiver) const {
  constexpr double most = 127;
  if (!has_slow_receivers_) return 0;
  const double fill = std::min(fabric_.fill_of_host(receiver, data_priority_), 1.0);
  return static_cast<std::uint8_t>(fill * most);
}

void PlacedTransport::send_back(const Carried& what) {
  PlacedPair& pair = *pairs_[what.pair];
  if (pair.backward.paths.empty()) return;  // cut off for now: the sender times out
  const PacketIndex packet = fabric_.allocate();
  keep(packet, what);
  fabric_.send(packet, {.path = pair.backward.take(),
                        .wire_bytes = static_cast<std::uint32_t>(trimmed_bytes.value),
                        .kind = acknowledgement_kind,
                        .priority = answer_priority_,
                        .flow = static_cast<std::uint32_t>(
                            mixed(std::uint64_t{what.pair} << 32 | what.entropy) >> 32)});
}

// A packet came, whole or not. What was trimmed and its sender did not know of yet is wanted, too.
void PlacedTransport::promise_pulls(PlacedPair& pair, const Carried& data) {
  pair.wanted = std::max(pair.wanted, data.count + pair.trims_seen - data.trims);
  if (pair.promised >= pair.wanted) return;
  const std::uint64_t more = settings_.pulls_ahead ? pair.wanted - pair.promised : 1;
  pair.promised += more;
  Puller& puller = pullers_[static_cast<std::size_t>(pair.to.value)];
  if (pair.pulls_waiting == 0) puller.pairs.push_back(pair.index);
  pair.pulls_waiting += more;
  if (std::exchange(puller.comes, true)) return;
  schedule(std::max(puller.at, queue_.now()), Happens::pull,
           static_cast<std::uint32_t>(pair.to.value));
}

// One queue for all senders of a receiver, in turn, as fast as its links take full packets.
void PlacedTransport::pull_next(std::int32_t npu) {
  Puller& puller = pullers_[static_cast<std::size_t>(npu)];
  puller.comes = false;
  PlacedPair& pair = *pairs_[puller.pairs.front()];
  puller.pairs.pop_front();
  const std::uint64_t packets =
      std::min(pair.pulls_waiting, static_cast<std::uint64_t>(settings_.packets_of_pull));
  pair.pulls_waiting -= packets;
  if (pair.pulls_waiting > 0) puller.pairs.push_back(pair.index);
  pair.pulls_sent += packets;
  const std::uint32_t way = pair.turn_of_pulls;
  pair.turn_of_pulls = (way + 1) % static_cast<std::uint32_t>(settings_.entropy_values);
  send_back(
      {.pair = pair.index, .kind = PacketKind::pull, .entropy = way, .count = pair.pulls_sent});
  puller.at = queue_.now();
  if (pair.asks_at > Bandwidth{})
    puller.at += transfer_time(settings_.payload + bytes(wire::packet), pair.asks_at) *
                 static_cast<std::int64_t>(packets);
  if (puller.pairs.empty()) return;
  puller.comes = true;
  schedule(puller.at, Happens::pull, static_cast<std::uint32_t>(npu));
}

std::string PlacedTransport::unfinished() const {
  std::string text = what_waits(fabric_);
  for (const auto& pair : pairs_)
    if (std::ranges::any_of(pair->messages, [](const auto& one) { return one.missing > 0; }))
      return text + fmt::format("{}: messages {} -> {} are undelivered\n", settings_.name,
                                topology_.node_name(pair->from), topology_.node_name(pair->to));
  return text;
}

PacketStatistics PlacedTransport::statistics() const {
  PacketStatistics statistics = fabric_.statistics();
  set_waits(statistics, fabric_.waits());
  statistics.connections = counters_.connections;
  statistics.retransmissions = counters_.retransmissions;
  statistics.timeouts = counters_.timeouts;
  statistics.refusals = counters_.refusals;
  statistics.returned = counters_.returned;
  for (const auto& pair : pairs_) add_reordering(statistics.reordering, pair->order.counted());
  return statistics;
}

}  // namespace orrery
