#include "network/packet/packet_fabric.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/trace/byte_bins.h"

namespace orrery {
namespace {

// Arguments of events: what happens, and to which packet or link.
enum class Happens : std::uint64_t { packet_arrives, packet_left, link_is_free };
constexpr std::uint64_t event_of(Happens what, std::uint32_t which) {
  return std::uint64_t{which} << 2 | static_cast<std::uint64_t>(what);
}

}  // namespace

PacketFabric::PacketFabric(EventQueue& queue, const Topology& topology, const SwitchSpec& spec,
                           std::span<const std::optional<Bytes>> buffers, std::uint64_t seed,
                           PacketOwner& owner)
    : queue_(queue), spec_(spec), owner_(owner), random_(seed, "packet fabric") {
  handler_ = queue.add_handler(*this);
  std::vector<std::int32_t> memory_of(static_cast<std::size_t>(topology.node_count()), -1);
  ports_.resize(topology.links().size());
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const Link& link = topology.links()[i];
    ports_[i].bandwidth = link.bandwidth;
    ports_[i].latency = link.latency;
    if (topology.node_kind(link.from) != NodeKind::switched) continue;
    std::int32_t& memory = memory_of[static_cast<std::size_t>(link.from.value)];
    if (memory < 0) {
      memory = static_cast<std::int32_t>(memories_.size());
      const auto level = static_cast<std::size_t>(link.level);
      const bool own = level < buffers.size() && buffers[level];
      memories_.emplace_back(link.from, own ? *buffers[level] : spec.buffer, spec);
    }
    ports_[i].memory = memory;
  }
  depths_.resize(spec.watched.size());
  for (std::size_t i = 0; i < depths_.size(); ++i)
    ports_[spec.watched[i]].depth = static_cast<std::int32_t>(i);
}

PathIndex PacketFabric::add_path(std::span<const LinkIndex> links) {
  CHECK(!links.empty(), "a path without links");
  const auto path = static_cast<PathIndex>(path_links_.size());
  path_links_.insert(path_links_.end(), links.begin(), links.end());
  path_links_.push_back(none);
  return path;
}

PacketIndex PacketFabric::allocate() {
  if (first_free_ == none) {
    packets_.emplace_back();
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
                      .kind = to_send.kind,
                      .queued_at = {}};
  ++sent_;
  if (to_send.kind >= waits_.size()) waits_.resize(std::size_t{to_send.kind} + 1);
  ++waits_[to_send.kind].packets;
  enter(packet);
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

void PacketFabric::arrive(PacketIndex index) {
  Packet& packet = packets_[index];
  ++hops_;
  if (path_links_[++packet.cursor] != none) return enter(index);
  owner_.packet_arrived(index, packet.marked);
  release(index);
}

void PacketFabric::enter(PacketIndex index) {
  Packet& packet = packets_[index];
  const LinkIndex link = path_links_[packet.cursor];
  Port& port = ports_[link];
  const bool idle = port.first == none && port.free_at <= queue_.now();
  if (!may_enter(packet, port, idle)) return lose(index, port);
  if (idle) return start(index, port);

  if (port.first == none)
    port.first = index;
  else
    packets_[port.last].next = index;
  port.last = index;
  packet.next = none;
  packet.queued_at = queue_.now();
  const Bytes size = bytes(packet.wire_bytes);
  port.waiting += size;
  port.most_waiting = std::max(port.most_waiting, port.waiting);
  if (port.memory >= 0) memories_[port.memory].add(size, queue_.now());
  if (port.depth >= 0) depths_[port.depth].set(queue_.now(), port.waiting.value);
  if (port.wake_comes) return;
  port.wake_comes = true;
  queue_.schedule_at(port.free_at, handler_, event_of(Happens::link_is_free, link));
}

// What is sent at once needs no room. May mark the packet.
bool PacketFabric::may_enter(Packet& packet, Port& port, bool idle) {
  if (port.bandwidth == Bandwidth{}) return false;
  if (spec_.loss > 0 && random_.uniform() < spec_.loss) return false;
  if (port.memory < 0) return true;
  if (spec_.queue == QueueKind::red && picked_by_red(packet, port, idle)) {
    if (!packet.can_be_marked) return false;
    packet.marked = true;
    ++port.marks;
  }
  return idle || memories_[port.memory].has_room(bytes(packet.wire_bytes), port.waiting);
}

bool PacketFabric::picked_by_red(const Packet& packet, Port& port, bool idle) {
  double idle_packets = 0;
  if (idle && port.sent > Bytes{})
    idle_packets = static_cast<double>((queue_.now() - port.free_at).value) /
                   static_cast<double>(duration_of(port, packet.wire_bytes).value);
  return port.red.picks(spec_, port.waiting, idle_packets, random_);
}

void PacketFabric::start(PacketIndex index, Port& port) {
  const Packet& packet = packets_[index];
  port.free_at = queue_.now() + duration_of(port, packet.wire_bytes);
  port.sent += bytes(packet.wire_bytes);
  ++port.packets;
  const LinkIndex link = path_links_[packet.cursor];
  if (watched_ != nullptr)
    watched_->add(link, queue_.now(), port.free_at, bytes(packet.wire_bytes));
  if (port.reports_starts) owner_.packet_starts(index, link, packet.marked);
  if (packet.tell_when_left && starts_path(packet.cursor))
    queue_.schedule_at(port.free_at, handler_, event_of(Happens::packet_left, index));
  queue_.schedule_at(port.free_at + port.latency, handler_,
                     event_of(Happens::packet_arrives, index));
}

bool PacketFabric::starts_path(std::uint32_t cursor) const {
  return cursor == 0 || path_links_[cursor - 1] == none;
}

void PacketFabric::start_next(LinkIndex link) {
  Port& port = ports_[link];
  port.wake_comes = false;
  if (port.first == none) return;  // lost, when the link went down
  const PacketIndex index = take_first(port);
  note_wait(packets_[index], port);
  start(index, port);
  if (port.first == none) return;
  port.wake_comes = true;
  queue_.schedule_at(port.free_at, handler_, event_of(Happens::link_is_free, link));
}

PacketIndex PacketFabric::take_first(Port& port) {
  const PacketIndex index = port.first;
  const Packet& packet = packets_[index];
  port.first = packet.next;
  port.waiting -= bytes(packet.wire_bytes);
  if (port.memory >= 0) memories_[port.memory].remove(bytes(packet.wire_bytes), queue_.now());
  if (port.depth >= 0) depths_[port.depth].set(queue_.now(), port.waiting.value);
  return index;
}

void PacketFabric::note_wait(const Packet& packet, const Port& port) {
  PacketWaits& waits = waits_[packet.kind];
  const Duration waited = queue_.now() - packet.queued_at;
  (port.memory < 0 ? waits.at_source : waits.in_switches) += nanoseconds(waited.value / 1'000);
  waits.longest = std::max(waits.longest, waited);
}

void PacketFabric::set_bandwidth(LinkIndex link, Bandwidth bandwidth) {
  Port& port = ports_[link];
  port.bandwidth = bandwidth;
  port.last_size = 0;
  if (bandwidth > Bandwidth{}) return;
  while (port.first != none) lose(take_first(port), port);
}

void PacketFabric::lose(PacketIndex packet, Port& port) {
  ++port.drops;
  owner_.packet_lost(packet);
  release(packet);
}

void PacketFabric::release(PacketIndex packet) {
  packets_[packet].next = first_free_;
  first_free_ = packet;
}

Duration PacketFabric::duration_of(Port& port, std::uint32_t wire_bytes) {
  if (wire_bytes != port.last_size) {
    port.last_size = wire_bytes;
    port.last_duration = transfer_time(bytes(wire_bytes), port.bandwidth);
  }
  return port.last_duration;
}

PacketStatistics PacketFabric::statistics() const {
  PacketStatistics statistics;
  statistics.packets = sent_;
  statistics.packet_hops = hops_;
  for (const Port& port : ports_) {
    statistics.drops += port.drops;
    statistics.marks += port.marks;
    statistics.links.push_back(
        {port.sent, port.packets, port.drops, port.marks, port.most_waiting});
  }
  for (std::size_t i = 0; i < depths_.size(); ++i)
    statistics.depths.push_back({spec_.watched[i],
                                 depths_[i].interval(),
                                 {depths_[i].peaks().begin(), depths_[i].peaks().end()}});
  for (const SwitchMemory& memory : memories_) {
    const PeakSeries& series = memory.series();
    if (series.most() == 0) continue;
    statistics.switches.push_back({memory.node(),
                                   memory.size(),
                                   bytes(series.most()),
                                   series.interval(),
                                   {series.peaks().begin(), series.peaks().end()}});
  }
  return statistics;
}

}  // namespace orrery
