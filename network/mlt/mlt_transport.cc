#include "network/mlt/mlt_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "network/packet/transports.h"
#include "network/packet/what_waits.h"
#include "network/packet/wire_format.h"
#include "network/routing/flow_hash.h"

namespace orrery {
namespace {

constexpr std::uint8_t control_priority = 7;

RoutingSpec routing_of(const TransportParts& parts) {
  RoutingSpec routing = parts.spec.routing;
  if (routing.policy == RoutingPolicy::automatic && !parts.topology.structural())
    routing.policy = RoutingPolicy::spray;
  return routing;
}

// Without classes in the file one for each class of layers, whose packets are dropped early or
// marked where they wait for longer than the control wants, and one for the side channel.
SwitchSpec switches_of(const NetworkSpec& spec) {
  SwitchSpec switches = spec.switches;
  switches.largest_packet = spec.transport.roce.payload + bytes(wire::packet);
  if (!switches.classes.empty()) return switches;
  const MltSpec& mlt = spec.transport.mlt;
  const auto in_gigabit = [](Duration time) {
    return bytes(std::max<std::int64_t>(1, time.value / 8'000));  // ps of a bit of 1 Gb/s
  };
  for (std::int32_t priority = control_priority - mlt.classes; priority < control_priority;
       ++priority)
    switches.classes.push_back({.priority = priority,
                                .ecn = EcnRamp{.minimum = in_gigabit(mlt.rate.low),
                                               .maximum = in_gigabit(mlt.rate.high),
                                               .per_gigabit = true,
                                               .probability = 1,
                                               .on_leaving = false}});
  switches.classes.push_back({.priority = control_priority, .carries = ClassContent::control});
  return switches;
}

}  // namespace

std::unique_ptr<PacketTransport> make_mlt_transport(const TransportParts& parts) {
  return std::make_unique<MltTransport>(parts, switches_of(parts.spec));
}

// Headers of 82 B for each packet, a packet's time for each further link, of at most 8; once more
// where a message goes in two legs.
Duration mlt_tolerance(Bytes size, Bandwidth link, Duration round_trip) {
  const std::int64_t headers = 82 * (size.value / 4'096 + 1);
  return transfer_time(size + bytes(headers + 8 * 4'178), link) + round_trip;
}

MltTransport::MltTransport(const TransportParts& parts, const SwitchSpec& switches)
    : queue_(parts.queue),
      topology_(parts.topology),
      listener_(parts.listener),
      spec_(parts.spec.transport.mlt),
      payload_(parts.spec.transport.roce.payload.value),
      rto_(rto_of(parts.spec.transport)),
      retries_(parts.spec.transport.retries),
      seed_(parts.spec.seed),
      handler_(parts.queue.add_handler(*this)),
      fabric_(parts.queue, parts.topology, switches, parts.spec.level_buffers(), parts.spec.seed,
              *this),
      paths_(parts.queue, parts.topology, routing_of(parts), fabric_, *this),
      ports_(parts.topology.links().size()) {}

// --- Flows and tensors ---

void MltTransport::send_part(NodeId from, NodeId to, MessageSlot message, Bytes size,
                             std::uint8_t label, TrafficClass, const TensorPart& part) {
  const std::uint32_t index = flow_between(from, to, priority_of(part));
  Flow& flow = *flows_[index];
  if (flow.forward.paths.empty() || flow.backward.paths.empty())
    paths_.require_paths(from, to, flow.forward, flow.backward);
  const TensorId id = next_tensor_++;
  Tensor& tensor = tensors_[id];
  tensor.flow = index;
  tensor.slot = message;
  tensor.label = label;
  tensor.part = part;
  tensor.size = size.value;
  tensor.enough = enough_of(size.value, part.way);
  tensor.packets =
      static_cast<std::uint64_t>(std::max<std::int64_t>(1, (size.value + payload_ - 1) / payload_));
  tensor.ledger.add(tensor.packets);
  queue(id, tensor);
}

// The least that is at least (1 - p) of it.
std::int64_t MltTransport::enough_of(std::int64_t size, TensorWay way) const {
  if (way == TensorWay::none) return size;
  const Share& bound = way == TensorWay::push ? spec_.push : spec_.pull;
  return size - (size / bound.whole * bound.part + size % bound.whole * bound.part / bound.whole);
}

// Front layers first; what belongs to no layer is waited for, so it goes with them.
std::uint8_t MltTransport::priority_of(const TensorPart& part) const {
  const std::int32_t of = part.layer < 0 ? 0 : part.layer * spec_.classes / part.layers;
  return static_cast<std::uint8_t>(control_priority - 1 - of);
}

// Small values of front layers. Which are small is drawn once for each packet of a tensor.
bool MltTransport::is_droppable(TensorId id, const Tensor& tensor, PacketNumber number) const {
  if (tensor.enough == tensor.size) return false;
  if (tensor.part.layer >= 0 &&
      tensor.part.layer * spec_.front_layers.whole >= tensor.part.layers * spec_.front_layers.part)
    return false;
  const std::uint64_t drawn = mixed(mixed(seed_ ^ mixed(id)) ^ number);
  return static_cast<double>(drawn >> 11) * 0x1p-53 < spec_.small;
}

MltTransport::Tensor* MltTransport::find(TensorId id) {
  const auto found = tensors_.find(id);
  return found == tensors_.end() ? nullptr : &found->second;
}

std::int64_t MltTransport::payload_of(const Tensor& tensor, PacketNumber number) const {
  return std::min(payload_, tensor.size - static_cast<std::int64_t>(number) * payload_);
}

std::uint32_t MltTransport::flow_between(NodeId from, NodeId to, std::uint8_t priority) {
  const auto [found, is_new] = flow_of_.try_emplace(std::tuple(from.value, to.value, priority),
                                                    static_cast<std::uint32_t>(flows_.size()));
  if (!is_new) return found->second;
  flows_.push_back(std::make_unique<Flow>(from, to, priority, spec_.rate));
  Flow& flow = *flows_.back();
  choose_paths(flow);
  flow.report_after = idle_round_trip(flow);
  flow.rate = DelayRate(spec_.rate, line_of(flow.forward), flow.report_after);
  ++counters_.connections;
  return found->second;
}

void MltTransport::choose_paths(Flow& flow) {
  flow.forward = paths_.choose(flow.from, flow.to, 0);
  flow.backward = paths_.choose(flow.to, flow.from, 0);
  for (const PathIndex path : flow.forward.paths) {
    const LinkIndex link = fabric_.first_link(path);
    if (ports_[link] != nullptr) continue;
    ports_[link] = std::make_unique<NicPort>();
    fabric_.pull_from(link);
  }
}

// Of all the ports of its NPU that a flow leaves over, as they are built.
Bandwidth MltTransport::line_of(const PathChoice& choice) const {
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

// Of a full packet, and of what reports it.
Duration MltTransport::idle_round_trip(const Flow& flow) {
  Duration sum;
  for (const LinkIndex link : paths_.links(flow.from, flow.to, 0))
    sum += topology_.links()[link].latency +
           transfer_time(bytes(payload_ + wire::packet), topology_.links()[link].bandwidth);
  for (const LinkIndex link : paths_.links(flow.to, flow.from, 0))
    sum += topology_.links()[link].latency +
           transfer_time(trimmed_bytes, topology_.links()[link].bandwidth);
  return sum;
}

// --- Links that fail ---

void MltTransport::links_changed(std::span<const LinkIndex> links) {
  for (const LinkIndex link : links) fabric_.set_bandwidth(link, paths_.bandwidth(link));
}

void MltTransport::routes_changed() {
  for (std::uint32_t index = 0; index < flows_.size(); ++index) {
    Flow& flow = *flows_[index];
    choose_paths(flow);
    if (!flow.sending.empty())
      paths_.require_paths(flow.from, flow.to, flow.forward, flow.backward);
    update(index);
  }
}

// --- Packets of the fabric ---

void MltTransport::keep(PacketIndex packet, const Carried& what) {
  if (packet >= carried_.size()) carried_.resize(packet + 1);
  carried_[packet] = what;
}

void MltTransport::packet_arrived(PacketIndex packet, bool) {
  const Carried carried = carried_[packet];
  switch (carried.kind) {
    case PacketKind::data:
      return take_data(carried);
    case PacketKind::report:
      flows_[carried.flow]->rate.heard(queue_.now(), carried.sent_at, carried.delivered);
      return;
    case PacketKind::stop:
      return take_stop(carried);
    case PacketKind::stop_confirmed:
      return take_confirmation(carried);
    case PacketKind::probe:
      return take_probe(carried);
    case PacketKind::bitmap:
      take_bitmap(carried);
      return drop_bitmap(carried.bitmap);
  }
}

void MltTransport::packet_left(PacketIndex packet) {
  const Carried carried = carried_[packet];
  if (!std::exchange(carried_[packet].tells_left, false)) return;
  Tensor* tensor = find(carried.tensor);
  if (tensor == nullptr || std::exchange(tensor->left, true)) return;
  listener_.message_left(tensor->slot);
  close(carried.tensor, *find(carried.tensor));
}

// What is lost has left, too.
void MltTransport::packet_lost(PacketIndex packet) {
  const Carried carried = carried_[packet];
  if (carried.kind == PacketKind::bitmap) drop_bitmap(carried.bitmap);
  if (carried.kind != PacketKind::data) return;
  if (const Tensor* tensor = find(carried.tensor); tensor != nullptr && may_lose_some(*tensor)) {
    const Bytes lost = bytes(payload_of(*tensor, carried.number));
    MissingData& row = row_of(tensor->part);
    row.lost += lost;
    if (is_droppable(carried.tensor, *tensor, carried.number)) row.lost_droppable += lost;
  }
  packet_left(packet);
}

void MltTransport::send_control(const Carried& what, bool forward, Bytes wire) {
  Flow& flow = *flows_[what.flow];
  PathChoice& way = forward ? flow.forward : flow.backward;
  if (way.paths.empty()) {  // cut off for now: a timer comes
    if (what.bitmap != no_bitmap) drop_bitmap(what.bitmap);
    return;
  }
  const PacketIndex packet = fabric_.allocate();
  keep(packet, what);
  fabric_.send(packet, {.path = way.take(),
                        .wire_bytes = static_cast<std::uint32_t>(wire.value),
                        .kind = acknowledgement_kind,
                        .priority = control_priority,
                        .flow = static_cast<std::uint32_t>(
                            mixed(std::uint64_t{what.flow} << 32 | what.number) >> 32)});
}

void MltTransport::schedule(Time when, Happens what, std::uint64_t which) {
  queue_.schedule_at(when, handler_, which << 2 | static_cast<std::uint64_t>(what));
}

void MltTransport::on_event(std::uint64_t argument) {
  const std::uint64_t which = argument >> 2;
  switch (static_cast<Happens>(argument & 3)) {
    case Happens::tensor_timer:
      return tensor_timer(which);
    case Happens::stop_timer:
      return stop_timer(which);
    case Happens::pace:
      flows_[which]->pace_comes = false;
      return update(static_cast<std::uint32_t>(which));
  }
}

std::string MltTransport::unfinished() const {
  std::string text = what_waits(fabric_);
  const auto waits =
      std::ranges::find_if(tensors_, [](const auto& one) { return !one.second.delivered; });
  if (waits == tensors_.end()) return text;
  const Flow& flow = *flows_[waits->second.flow];
  return text + fmt::format("MLT: messages {} -> {} are undelivered\n",
                            topology_.node_name(flow.from), topology_.node_name(flow.to));
}

PacketStatistics MltTransport::statistics() const {
  PacketStatistics statistics = fabric_.statistics();
  set_waits(statistics, fabric_.waits());
  statistics.connections = counters_.connections;
  statistics.retransmissions = counters_.retransmissions;
  statistics.timeouts = counters_.timeouts;
  statistics.probes = counters_.probes;
  for (const auto& [place, missing] : missing_) statistics.missing.push_back(missing);
  for (const auto& flow : flows_) add_reordering(statistics.reordering, flow->order.counted());
  return statistics;
}

}  // namespace orrery
