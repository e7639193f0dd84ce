#include "network/roce/roce_transport.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.h"
#include "network/packet/wire_format.h"
#include "network/roce/switch_classes.h"

namespace orrery {
RoceTransport::RoceTransport(const TransportParts& parts, PairSettings settings)
    : queue_(parts.queue),
      topology_(parts.topology),
      listener_(parts.listener),
      settings_(std::move(settings)),
      spec_(settings_.roce),
      control_(settings_.control),
      watched_(parts.spec.transport.watched),
      ignores_pauses_(parts.spec.switches.pfc.on_watchdog == WatchdogAction::drop),
      handler_(parts.queue.add_handler(*this)),
      fabric_(parts.queue, parts.topology, settings_.switches, parts.spec.level_buffers(),
              parts.spec.seed, *this),
      captures_(parts.spec, fabric_),
      paths_(parts.queue, parts.topology, parts.spec.routing, fabric_, *this),
      ports_(parts.topology.links().size()) {
  CHECK(control_ != nullptr, "no control is called {}", spec_.congestion_control);
}

// --- Pairs ---

void RoceTransport::send(NodeId from, NodeId to, MessageSlot message, Bytes size,
                         std::uint8_t label, TrafficClass traffic_class) {
  const auto usual = static_cast<std::uint8_t>(spec_.priority);
  const bool highest = traffic_class == TrafficClass::highest;
  const std::uint8_t priority = highest ? settings_.highest_priority : usual;
  QueuePair& pair = settings_.messages_are_flows ? flow_between(from, to, priority)
                                                 : pair_for(from, to, priority);
  pair.is_highest = highest;
  const auto index = pair.index;
  if (!pair.outstanding()) {
    run_timers(pair);
    pair.progress_at = queue_.now();
  }
  pair.add(message, size, label);
  if (pair.forward.paths.empty() || pair.backward.paths.empty())
    paths_.require_paths(from, to, pair.forward, pair.backward);
  arm_timer(index);
  update(index);
}

QueuePair& RoceTransport::pair_for(NodeId from, NodeId to, std::uint8_t priority) {
  Connections& connections = connections_[key_of(from, to, priority)];
  const auto most = static_cast<std::size_t>(paths_.connections(spec_.qps_per_pair));
  const std::size_t turn = connections.next++ % most;
  if (turn == connections.pairs.size())
    connections.pairs.push_back(make_pair(from, to, priority, static_cast<std::uint32_t>(turn)));
  return *pairs_[connections.pairs[turn]];
}

std::uint32_t RoceTransport::make_pair(NodeId from, NodeId to, std::uint8_t priority,
                                       std::uint32_t number) {
  const auto index = static_cast<std::uint32_t>(pairs_.size());
  pairs_.push_back(std::make_unique<QueuePair>(from, to, index, number, spec_.payload.value));
  QueuePair& pair = *pairs_.back();
  pair.priority = priority;
  choose_paths(pair);
  const PathFacts facts = facts_of(pair);
  pair.recovery =
      settings_.recovery != nullptr ? settings_.recovery() : make_recovery(with_tolerance(facts));
  pair.round_trip = facts.round_trip;
  pair.hops = facts.hops;
  pair.line = static_cast<double>(facts.line.value);
  pair.control = control_->make(spec_, facts);
  pair.window = window_of(facts);
  for (const WatchedPair& watched : watched_)
    pair.watched |= watched.from == from.value && watched.to == to.value;
  ++counters_.connections;
  return index;
}

// A pair sends over one link of its NPU; what is sprayed is sprayed behind it.
void RoceTransport::choose_paths(QueuePair& pair) {
  pair.forward = paths_.choose(pair.from, pair.to, pair.number);
  pair.backward = paths_.choose(pair.to, pair.from, pair.number);
  if (pair.forward.paths.empty()) return;
  pair.link = fabric_.first_link(pair.forward.paths.front());
  std::erase_if(pair.forward.paths,
                [&](PathIndex path) { return fabric_.first_link(path) != pair.link; });
  if (ports_[pair.link] != nullptr) return;
  ports_[pair.link] = std::make_unique<NicPort>();
  fabric_.pull_from(pair.link);
}

// Of the links as they are built; a pair without a path keeps the facts of its link's kind.
PathFacts RoceTransport::facts_of(const QueuePair& pair) {
  PathFacts facts{.line = gigabits_per_second(100),
                  .round_trip = microseconds(10),
                  .packet = spec_.payload,
                  .hops = 1};
  const std::vector<LinkIndex> there = paths_.links(pair.from, pair.to, pair.number);
  const std::vector<LinkIndex> back = paths_.links(pair.to, pair.from, pair.number);
  if (there.empty() || back.empty()) return facts;
  facts.hops = static_cast<std::int32_t>(there.size()) - 1;
  const std::int64_t telemetry = control_->wants_telemetry ? wire::telemetry(facts.hops) : 0;
  const Bytes data = bytes(wire::packet + telemetry) + spec_.payload;
  const Bytes answer = bytes(wire::acknowledgement + telemetry);
  facts.line = topology_.links()[there.front()].bandwidth;
  facts.round_trip = {};
  for (const auto& [links, size] : {std::pair(&there, data), std::pair(&back, answer)})
    for (const LinkIndex link : *links)
      facts.round_trip +=
          topology_.links()[link].latency + transfer_time(size, topology_.links()[link].bandwidth);
  return facts;
}

double RoceTransport::window_of(const PathFacts& facts) const {
  switch (spec_.window.kind) {
    case PairWindow::Kind::bytes:
      return static_cast<double>(spec_.window.size.value);
    case PairWindow::Kind::none:
      return CongestionControl::no_window;
    case PairWindow::Kind::automatic:
      if (control_->has_window) return CongestionControl::no_window;
      break;
    case PairWindow::Kind::bdp:
      break;
  }
  return std::ceil(static_cast<double>(facts.line.value) *
                   static_cast<double>(facts.round_trip.value) * 1e-12);
}

// Packets that overtake each other differ by what waits before them: less than a window.
RoceSpec RoceTransport::with_tolerance(const PathFacts& facts) const {
  RoceSpec spec = spec_;
  if (spec.reorder_tolerance || !paths_.reorders()) return spec;
  const double window =
      static_cast<double>(facts.line.value) * static_cast<double>(facts.round_trip.value) * 1e-12;
  spec.reorder_tolerance =
      static_cast<std::int32_t>(std::ceil(window / static_cast<double>(spec.payload.value)));
  return spec;
}

// --- Links that fail ---

void RoceTransport::links_changed(std::span<const LinkIndex> links) {
  for (const LinkIndex link : links) fabric_.set_bandwidth(link, paths_.bandwidth(link));
}

void RoceTransport::routes_changed() {
  for (std::uint32_t index = 0; index < pairs_.size(); ++index) {
    QueuePair& pair = *pairs_[index];
    choose_paths(pair);
    if (!pair.outstanding()) continue;
    paths_.require_paths(pair.from, pair.to, pair.forward, pair.backward);
    update(index);
  }
}

// --- Packets of the fabric ---

void RoceTransport::packet_arrived(PacketIndex packet, bool marked) {
  const Carried carried = carried_[packet];
  switch (carried.kind) {
    case PacketKind::data:
      return take_data(packet, carried, marked);
    case PacketKind::acknowledgement:
      return take_acknowledgement(packet, carried);
    case PacketKind::refusal:
      return take_refusal(carried);
    case PacketKind::notification:
      run_timers(*pairs_[carried.pair]);
      pairs_[carried.pair]->control->notified(queue_.now());
      note_sample(*pairs_[carried.pair]);
      arm_timer(carried.pair);
      return update(carried.pair);
  }
}

// What is lost has left, too: it will be sent again.
void RoceTransport::packet_lost(PacketIndex packet) {
  if (carried_[packet].kind == PacketKind::data && carried_[packet].tells_left) packet_left(packet);
}

void RoceTransport::packet_left(PacketIndex packet) {
  Carried& carried = carried_[packet];
  if (!carried.tells_left) return;
  carried.tells_left = false;
  listener_.message_left(carried.message);
}

// --- The receiver ---

void RoceTransport::take_data(PacketIndex packet, const Carried& carried, bool marked) {
  QueuePair& pair = *pairs_[carried.pair];
  if (!carried.again) pair.order.came(carried.number);
  const Verdict verdict = pair.recovery->received(queue_.now(), carried.number);
  if (verdict == Verdict::gap || verdict == Verdict::kept)
    pair.order.holds(spec_.payload * static_cast<std::int64_t>(pair.recovery->held()));
  if (marked && control_->wants_notifications) notify_congestion(carried);
  answer(packet, carried, verdict, marked);
  if (verdict == Verdict::in_order) deliver(carried.pair);
}

// A NIC tells a pair of congestion at most once in an interval.
void RoceTransport::notify_congestion(const Carried& carried) {
  QueuePair& pair = *pairs_[carried.pair];
  if (pair.notified && queue_.now() - pair.notified_at < spec_.cnp_interval) return;
  pair.notified = true;
  pair.notified_at = queue_.now();
  ++counters_.notifications;
  send_back({.pair = carried.pair, .kind = PacketKind::notification}, wire::notification,
            no_packet);
}

// Coalesced, but for the last packet of a message, and where marks begin or end (RFC 8257, 3.2).
void RoceTransport::answer(PacketIndex packet, const Carried& carried, Verdict verdict,
                           bool marked) {
  QueuePair& pair = *pairs_[carried.pair];
  if (verdict == Verdict::ignored) return;
  if (verdict == Verdict::in_order) {
    const bool changed = marked != pair.last_marked;
    pair.last_marked = marked;
    if (++pair.unanswered < spec_.ack_every && !carried.ends_message && !changed) return;
  }
  pair.unanswered = 0;
  const bool gap = verdict == Verdict::gap;
  if (gap) ++counters_.refusals;
  const bool telemetry = control_->wants_telemetry && !gap;
  send_back({.pair = carried.pair,
             .kind = gap ? PacketKind::refusal : PacketKind::acknowledgement,
             .marked = marked,
             .selective = verdict == Verdict::kept,
             .number = pair.recovery->expected(),
             .seen = carried.number,
             .sent_at = carried.sent_at},
            wire::acknowledgement + (telemetry ? wire::telemetry(pair.hops) : 0),
            telemetry ? packet : no_packet);
}

void RoceTransport::send_back(const Carried& what, std::int64_t size, PacketIndex telemetry_of) {
  QueuePair& pair = *pairs_[what.pair];
  if (pair.backward.paths.empty()) return;  // cut off for now: the sender times out
  const PacketIndex packet = fabric_.allocate();
  if (packet >= carried_.size()) carried_.resize(packet + 1);
  carried_[packet] = what;
  if (telemetry_of != no_packet) {
    if (packet >= echoed_.size()) echoed_.resize(packet + 1);
    const std::span<const HopTelemetry> hops = fabric_.telemetry(telemetry_of);
    echoed_[packet].assign(hops.begin(), hops.end());
  }
  if (captures_.any()) capture_answer(packet, what, size);
  fabric_.send(packet, {.path = pair.backward.take(),
                        .wire_bytes = static_cast<std::uint32_t>(size),
                        .kind = acknowledgement_kind,
                        .priority = settings_.answer_priority,
                        .flow = 2 * what.pair + 1});
}

// The listener may send from here.
void RoceTransport::deliver(std::uint32_t index) {
  while (const PairMessage* message = pairs_[index]->next_delivered())
    listener_.message_delivered(message->slot);
}

std::unique_ptr<PacketTransport> make_roce_transport(const TransportParts& parts) {
  const TransportSpec& spec = parts.spec.transport;
  PairSettings settings;
  settings.roce = roce_of(spec);
  settings.rto = rto_of(spec);
  settings.retries = spec.retries;
  settings.control = find_roce_control(settings.roce.congestion_control);
  settings.switches = switches_for_roce(parts.spec);
  settings.highest_priority = priority_of_highest(parts.spec);
  settings.answer_priority = priority_of_answers(parts.spec);
  return std::make_unique<RoceTransport>(parts, std::move(settings));
}

// docs/models/roce.md, "One message alone": headers of 82 B for each packet of 4,096 B, RETH, and a
// packet's time for each further link, of at most 8; and all of it once more, where an ideal level
// is left for one with packets and the NPU between the two passes it on.
Duration roce_tolerance(Bytes size, Bandwidth link, Duration round_trip) {
  const std::int64_t headers = 82 * (size.value / 4'096 + 1) + 16;
  return transfer_time(size + bytes(headers + 8 * 4'194), link) + round_trip;
}

}  // namespace orrery
