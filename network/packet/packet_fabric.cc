#include "network/packet/packet_fabric.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/trace/byte_bins.h"

namespace orrery {
namespace {

// Arguments of events: what happens, and to which packet or link.
enum class Happens : std::uint64_t { packet_arrives, packet_left, link_is_free };
constexpr std::uint64_t event_of(Happens what, std::uint32_t which) {
  return std::uint64_t{which} << 2 | static_cast<std::uint64_t>(what);
}

}  // namespace

PacketIndex PacketFabric::allocate() {
  if (first_free_ == none) {
    packets_.emplace_back();
    if (!telemetry_.empty()) telemetry_.emplace_back();
    return static_cast<PacketIndex>(packets_.size() - 1);
  }
  const PacketIndex packet = first_free_;
  first_free_ = packets_[packet].next;
  return packet;
}

void PacketFabric::send(PacketIndex packet, const PacketToSend& to_send) {
  packets_[packet] = {.cursor = to_send.path,
                      .wire_bytes = to_send.wire_bytes,
                      .next = none,
                      .can_be_marked = to_send.can_be_marked,
                      .marked = false,
                      .tell_when_left = to_send.tell_when_left,
                      .takes_telemetry = to_send.takes_telemetry,
                      .can_be_trimmed = to_send.can_be_trimmed,
                      .can_be_dropped_early = to_send.can_be_dropped_early,
                      .kind = to_send.kind,
                      .of = class_of_[to_send.priority],
                      .over = none,
                      .route = 0,
                      .queued_at = {}};
  if (to_send.takes_telemetry) {
    if (telemetry_.size() < packets_.size()) telemetry_.resize(packets_.size());
    telemetry_[packet].clear();
  }
  if (routes_ != nullptr) note_flow(packet, to_send);
  if (least_first_ != 0) note_rank(packet, to_send);
  ++sent_;
  if (to_send.kind >= waits_.size()) waits_.resize(std::size_t{to_send.kind} + 1);
  ++waits_[to_send.kind].packets;
  enter(packet, path_links_[to_send.path]);
}

void PacketFabric::on_event(std::uint64_t argument) {
  const auto which = static_cast<std::uint32_t>(argument >> 2);
  switch (static_cast<Happens>(argument & 3)) {
    case Happens::packet_arrives:
      return arrive(which);
    case Happens::packet_left:
      return owner_.packet_left(which);
    case Happens::link_is_free:
      return start_next(which);
  }
}

inline void PacketFabric::arrive(PacketIndex index) {
  if (sees_flows_) __builtin_prefetch(&flows_[index]);
  Packet& packet = packets_[index];
  packet.over = path_links_[packet.cursor];
  hops_ += packet.over < link_count_ ? 1 : 0;
  const LinkIndex next = path_links_[++packet.cursor];
  if (next < chosen_later) {
    fetch(packet, next);
    return enter(index, next);
  }
  if (next == chosen_later) return enter_chosen(index);
  if (measures_) end_measure(index);
  if (packet.is_frame)
    pauses_->frame_arrived(packet.over, {packet.of, packet.pauses});
  else
    owner_.packet_arrived(index, packet.marked);
  release(index);
}

inline bool PacketFabric::is_lossless(const Packet& packet, const Port& port) const {
  return port.memory >= 0 && !packet.is_frame && (lossless_ >> packet.of & 1) != 0 &&
         packet.over != none;
}

// Takes the room.
bool PacketFabric::finds_room(const Packet& packet, Port& port, const OutputQueue& queue) {
  SwitchMemory& memory = memories_[port.memory];
  const Bytes size = bytes(packet.wire_bytes);
  if (is_lossless(packet, port)) return pauses_->admit(packet.over, packet.of, size, memory);
  if ((own_buffer_ >> packet.of & 1) != 0) return fits_own_buffer(packet, port, queue);
  if (!memory.has_room(size, queue.waiting)) return false;
  memory.add(size, queue_.now());
  return true;
}

// What is sent at once needs no room. May mark the packet.
inline std::optional<DropCause> PacketFabric::cause_to_drop(Packet& packet, Port& port,
                                                            OutputQueue& queue, bool idle) {
  if (port.is_down) return DropCause::link_down;
  if (spec_.loss > 0 && !port.is_host && random_.uniform() < spec_.loss) return DropCause::random;
  if (port.lossy && loses(path_links_[packet.cursor])) return DropCause::random;
  if (port.memory < 0 || packet.is_frame) return {};
  if (packet.of == 0 && base_queue_) {
    if (spec_.queue == QueueKind::red && !port.is_host &&
        picked_by_red(packet, port, queue, idle)) {
      if (!packet.can_be_marked) return DropCause::picked;
      mark(packet, port, queue);
    }
  } else if (packet.can_be_marked && (marks_entering_ >> packet.of & 1) != 0) {
    mark_by_ramp(packet, port, queue);
  } else if (packet.can_be_dropped_early && dropped_by_ramp(packet, port, queue)) {
    return DropCause::picked;
  }
  const unsigned of = packet.of;  // a frame may come to the packets, and move them
  if (idle || finds_room(packet, port, queue)) return {};
  return (lossless_ >> of & 1) != 0 ? DropCause::no_headroom : DropCause::full;
}

void PacketFabric::enter(PacketIndex index, LinkIndex link) {
  Packet& packet = packets_[index];
  Port& port = ports_[link];
  const unsigned number = packet.is_frame ? queue_count_ - 1 : packet.of;
  OutputQueue& queue = queue_of(link, number);
  const unsigned bit = 1U << number;
  const bool idle = (port.occupied & ~port.paused) == 0 && port.free_at <= queue_.now() &&
                    ((port.occupied | port.paused) & bit) == 0;
  if (const auto cause = cause_to_drop(packet, port, queue, idle)) {
    if (*cause == DropCause::full && trims_ != 0 && trims(packet))
      return enter_trimmed(index, link, port);
    if (*cause == DropCause::full && (least_first_ >> number & 1) != 0 &&
        make_room(index, link, port, number))
      return wait(index, link, port, number);
    return lose(index, link, *cause);
  }
  if (idle) return start(index, port);
  wait(index, link, port, number);
}

void PacketFabric::wait(PacketIndex index, LinkIndex link, Port& port, unsigned number) {
  OutputQueue& queue = queue_of(link, number);
  Packet& waits = packets_[index];  // where they are now: a frame may have come to them
  if (queue.first == none)
    queue.first = index;
  else
    packets_[queue.last].next = index;
  queue.last = index;
  port.occupied |= static_cast<std::uint16_t>(1U << number);
  waits.next = none;
  waits.queued_at = queue_.now();
  const Bytes size = bytes(waits.wire_bytes);
  queue.waiting += size;
  port.waiting += size;
  port.most_waiting = std::max(port.most_waiting, port.waiting);
  if (port.watched) note_depth(port, queue, number);
  if (!port.wake_comes && (port.occupied & ~port.paused) != 0) wake_when_free(link, port);
}

// On a port whose queues for it are full, so it waits, or there is no room for headers either.
void PacketFabric::enter_trimmed(PacketIndex index, LinkIndex link, Port& port) {
  Packet& packet = packets_[index];
  packet.trimmed = true;
  packet.can_be_trimmed = false;
  packet.wire_bytes = static_cast<std::uint32_t>(trimmed_bytes.value);
  packet.of = static_cast<ClassIndex>(header_class_);
  ++trimmed_;
  OutputQueue& queue = queue_of(link, header_class_);
  if (finds_room(packet, port, queue)) return wait(index, link, port, header_class_);
  lose(index, link, DropCause::full);
}

bool PacketFabric::picked_by_red(const Packet& packet, Port& port, OutputQueue& queue, bool idle) {
  double idle_packets = 0;
  if (idle && port.sent > Bytes{})
    idle_packets = static_cast<double>((queue_.now() - port.free_at).value) /
                   static_cast<double>(duration_of(port, packet.wire_bytes).value);
  return rest_of(queue).red.picks(spec_, queue.waiting, idle_packets, random_);
}

void PacketFabric::mark(Packet& packet, Port& port, OutputQueue& queue) {
  packet.marked = true;
  if (port.watched) marks_[rest_of(port).depth].add(queue_.now());
  ++rest_of(queue).marks;
}

void PacketFabric::mark_by_ramp(Packet& packet, Port& port, OutputQueue& queue) {
  if (port.is_host) return;  // a NIC that receives marks nothing
  const EcnRamp& ramp = *classes_[packet.of].ecn;
  const Bytes waiting = ramp.of_port ? port.waiting : queue.waiting;
  if (is_picked(ramp, waiting, port, queue)) mark(packet, port, queue);
}

bool PacketFabric::dropped_by_ramp(const Packet& packet, Port& port, OutputQueue& queue) {
  const std::optional<EcnRamp>& ramp = classes_[packet.of].ecn;
  return ramp && !port.is_host && is_picked(*ramp, queue.waiting, port, queue);
}

// Most ramps do not average, and most packets find less than their minimum.
inline bool PacketFabric::is_picked(const EcnRamp& ramp, Bytes waiting, const Port& port,
                                    const OutputQueue& queue) {
  constexpr double second = 1e12, gigabit = 125'000'000;  // ps; bytes per second
  if (ramp.weight == 1 && port.byte_time > 0) {
    const double scale = ramp.per_gigabit ? second / gigabit / port.byte_time : 1;
    if (static_cast<double>(waiting.value) <= static_cast<double>(ramp.minimum.value) * scale)
      return false;
  }
  return picked_by(ramp, rest_of(port).bandwidth, waiting, rest_of(queue).average, random_);
}

void PacketFabric::start(PacketIndex index, Port& port) {
  const Packet& packet = packets_[index];
  port.free_at = queue_.now() + duration_of(port, packet.wire_bytes);
  port.sent += bytes(packet.wire_bytes);
  ++port.packets;
  const LinkIndex link = path_links_[packet.cursor];
  if (watched_ != nullptr && !port.is_host)
    watched_->add(link, queue_.now(), port.free_at, bytes(packet.wire_bytes));
  if (packet.takes_telemetry && port.memory >= 0 && !port.is_host)
    note_telemetry(index, port, link);
  if (measures_ && !port.is_host) measure(index, link);
  if (port.reports_starts && !packet.is_frame) owner_.packet_starts(index, link, packet.marked);
  if (packet.tell_when_left && packet.over == none)
    queue_.schedule_at(port.free_at, handler_, event_of(Happens::packet_left, index));
  queue_.schedule_at(port.free_at + port.latency, handler_,
                     event_of(Happens::packet_arrives, index));
}

void PacketFabric::note_telemetry(PacketIndex index, const Port& port, LinkIndex link) {
  telemetry_[index].push_back({.link = link,
                               .waiting = queue_of(link, packets_[index].of).waiting,
                               .sent = port.sent,
                               .at = queue_.now(),
                               .bandwidth = rests_[link].bandwidth});
}

void PacketFabric::wake_when_free(LinkIndex link, Port& port) {
  port.wake_comes = true;
  queue_.schedule_at(std::max(port.free_at, queue_.now()), handler_,
                     event_of(Happens::link_is_free, link));
}

inline void PacketFabric::note_wait(const Packet& packet, const Port& port) {
  PacketWaits& waits = waits_[packet.kind];
  const Duration waited = queue_.now() - packet.queued_at;
  (port.memory < 0 ? waits.at_source : waits.in_switches) += nanoseconds(waited.value / 1'000);
  waits.longest = std::max(waits.longest, waited);
}

void PacketFabric::start_next(LinkIndex link) {
  Port& port = ports_[link];
  __builtin_prefetch(&queues_[place_of(link, usual_)], 1);
  port.wake_comes = false;
  if ((port.occupied & ~port.paused) == 0) {  // pulls; or lost, or paused
    if (port.pulls) pull(link, port);
    return;
  }
  if (port.free_at > queue_.now()) return wake_when_free(link, port);
  const unsigned of = next_queue(port, link);
  const PacketIndex index = take_first(port, link, of);
  Packet& packet = packets_[index];
  if (!packet.is_frame) note_wait(packet, port);
  if (packet.can_be_marked && port.memory >= 0 && (marks_leaving_ >> packet.of & 1) != 0)
    mark_by_ramp(packet, port, queue_of(link, of));
  start(index, port);
  if (!port.wake_comes && ((port.occupied & ~port.paused) != 0 || port.pulls))
    wake_when_free(link, port);
}

// What the owner sends may be lost before it starts.
void PacketFabric::pull(LinkIndex link, Port& port) {
  if (port.is_down) return;
  while (port.free_at <= queue_.now())
    if (!owner_.pull(link)) return;
  if (!port.wake_comes) wake_when_free(link, port);
}

void PacketFabric::offer(LinkIndex link) {
  Port& port = ports_[link];
  if (!port.wake_comes && !port.is_down) wake_when_free(link, port);
}

// REQUIRES: a queue that is not paused has a packet.
inline unsigned PacketFabric::next_queue(Port& port, LinkIndex link) {
  const unsigned ready = port.occupied & ~static_cast<unsigned>(port.paused);
  const auto highest = static_cast<unsigned>(std::bit_width(ready)) - 1;
  if (spec_.scheduler == PortScheduler::strict)
    return trims_ == 0 ? highest : header_or_other(port, ready);
  if (pauses_ != nullptr && highest == queue_count_ - 1) return highest;  // a frame
  return next_by_deficit(port, link, ready);
}

// Shreedhar and Varghese, "Efficient fair queuing using deficit round-robin", SIGCOMM 1995: a class
// that gets its turn may send `weight` packets' bytes more.
unsigned PacketFabric::next_by_deficit(Port& port, LinkIndex link, unsigned ready) {
  while (true) {
    const OutputQueue& queue = queue_of(link, port.turn);
    Bytes& deficit = rest_of(queue).deficit;
    if ((ready >> port.turn & 1) != 0) {
      const Bytes size = bytes(packets_[queue.first].wire_bytes);
      if (deficit >= size) {
        deficit -= size;
        return port.turn;
      }
    } else if (queue.first == none) {
      deficit = {};
    }
    port.turn = static_cast<std::uint8_t>((port.turn + 1U) % classes_.size());
    if ((ready >> port.turn & 1) != 0)
      rest_of(queue_of(link, port.turn)).deficit +=
          spec_.largest_packet * classes_[port.turn].weight;
  }
}

inline PacketIndex PacketFabric::take_first(Port& port, LinkIndex link, unsigned of) {
  OutputQueue& queue = queue_of(link, of);
  if ((least_first_ >> of & 1) != 0) bring_least(queue);
  return take_head(port, link, of);
}

PacketIndex PacketFabric::take_head(Port& port, LinkIndex link, unsigned of) {
  OutputQueue& queue = queue_of(link, of);
  const PacketIndex index = queue.first;
  const Packet& packet = packets_[index];
  const Bytes size = bytes(packet.wire_bytes);
  queue.first = packet.next;
  if (queue.first == none) port.occupied &= static_cast<std::uint16_t>(~(1U << of));
  queue.waiting -= size;
  port.waiting -= size;
  if (port.watched) note_depth(port, queue, of);
  if (port.memory < 0 || packet.is_frame) return index;
  if (is_lossless(packet, port))
    pauses_->release(packet.over, packet.of, size, memories_[port.memory]);
  else if ((own_buffer_ >> packet.of & 1) == 0)
    memories_[port.memory].remove(size, queue_.now());
  return index;
}

void PacketFabric::note_depth(Port& port, const OutputQueue& queue, unsigned of) {
  const auto depth = static_cast<std::size_t>(rest_of(port).depth);
  const std::size_t first = depth * (classes_.size() + 1);
  depths_[depth].set(queue_.now(), port.waiting.value);
  histograms_[first + classes_.size()].set(queue_.now(), port.waiting.value);
  if (of < classes_.size()) histograms_[first + of].set(queue_.now(), queue.waiting.value);
}

void PacketFabric::set_bandwidth(LinkIndex link, Bandwidth bandwidth) {
  Port& port = ports_[link];
  set_rate(link, bandwidth);
  if (!port.is_down) {
    if (port.pulls) offer(link);
    return;
  }
  for (unsigned of = 0; of < queue_count_; ++of)
    while (queue_of(link, of).first != none)
      lose(take_first(port, link, of), link, DropCause::link_down);
}

void PacketFabric::lose(PacketIndex index, LinkIndex link, DropCause cause) {
  const Packet& packet = packets_[index];
  const unsigned of = packet.is_frame ? queue_count_ - 1 : packet.of;
  ++queue_rests_[place_of(link, of)].drops[static_cast<std::size_t>(cause)];
  if (ports_[link].watched) losses_[rests_[link].depth].add(queue_.now());
  if (!packet.is_frame) owner_.packet_lost(index);
  release(index);
}

void PacketFabric::release(PacketIndex packet) {
  packets_[packet].next = first_free_;
  first_free_ = packet;
}

Duration PacketFabric::duration_of(Port& port, std::uint32_t wire_bytes) {
  if (port.byte_time > 0) return picoseconds(std::int64_t{port.byte_time} * wire_bytes);
  PortRest& rest = rest_of(port);
  if (wire_bytes != rest.last_size) {
    rest.last_size = wire_bytes;
    rest.last_duration = transfer_time(bytes(wire_bytes), rest.bandwidth);
  }
  return rest.last_duration;
}

}  // namespace orrery
