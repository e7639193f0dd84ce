// What the fabric does for priority flow control: frames, pauses, and what waits for what.
#include <algorithm>

#include "network/packet/headroom.h"
#include "network/packet/packet_fabric.h"

namespace orrery {

void PacketFabric::make_pauses(const Topology& topology) {
  const bool lossless = std::any_of(classes_.begin(), classes_.end(),
                                    [](const PacketClass& one) { return one.lossless; });
  if (lossless) {
    ++queue_count_;  // the one of frames
    frame_paths_.assign(link_count_, none);
    PauseWire& wire = *this;
    pauses_ = std::make_unique<PriorityPauses>(queue_, topology, spec_, classes_, wire);
    std::vector<std::int32_t> memory_of(static_cast<std::size_t>(topology.node_count()), -1);
    for (std::size_t i = 0; i < link_count_; ++i)
      memory_of[static_cast<std::size_t>(topology.links()[i].from.value)] = ports_[i].memory;
    for (LinkIndex i = 0; i < link_count_; ++i) {
      const std::int32_t memory = memory_of[static_cast<std::size_t>(topology.links()[i].to.value)];
      if (memory >= 0) memories_[memory].set_aside(pauses_->set_aside(i));
    }
  }
  queues_.resize(ports_.size() * queue_count_);
  queue_rests_.resize(queues_.size());
}

// --- PauseWire ---

void PacketFabric::send_frame(LinkIndex over, PauseFrame frame) {
  if (frame_paths_[over] == none) {
    frame_paths_[over] = static_cast<PathIndex>(path_links_.size());
    path_links_.insert(path_links_.end(), {over, none});  // a NIC's own: no host waits for it
  }
  const PacketIndex index = allocate();
  packets_[index] = {.cursor = frame_paths_[over],
                     .wire_bytes = static_cast<std::uint32_t>(pause_frame_bytes.value),
                     .next = none,
                     .is_frame = true,
                     .pauses = frame.pause,
                     .of = frame.of,
                     .queued_at = {}};
  enter(index, over);
}

void PacketFabric::pause_changed(LinkIndex link, ClassIndex of, bool paused) {
  Port& port = ports_[link];
  const auto bit = static_cast<std::uint16_t>(1U << of);
  if (pause_events_.size() < static_cast<std::size_t>(spec_.pause_log))
    pause_events_.push_back({queue_.now(), link, classes_[of].priority, paused});
  if (paused) {
    port.paused |= bit;
    return;
  }
  port.paused &= static_cast<std::uint16_t>(~bit);
  if (!port.wake_comes && ((port.occupied & bit) != 0 || port.pulls)) wake_when_free(link, port);
}

// --- Watchdog ---

// The paused links that hold back what came over `link`, those that have done so longest first.
std::vector<LinkIndex> PacketFabric::waits_for(LinkIndex link, ClassIndex of) const {
  std::vector<std::pair<Time, LinkIndex>> found;
  for (LinkIndex next = 0; next < ports_.size(); ++next) {
    if ((ports_[next].paused >> of & 1) == 0) continue;
    const OutputQueue& queue = queue_of(next, of);
    for (PacketIndex index = queue.first; index != none; index = packets_[index].next) {
      const Packet& packet = packets_[index];
      if (packet.over != link) continue;
      found.emplace_back(packet.queued_at, next);
      break;
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<LinkIndex> links;
  for (const auto& [since, next] : found) links.push_back(next);
  return links;
}

// Goes on along the links that wait for each other. True: `chain` is a cycle. Else it is the way
// that was gone first, to its end.
bool PacketFabric::find_cycle(std::vector<LinkIndex>& chain, std::vector<bool>& seen,
                              ClassIndex of) const {
  const LinkIndex here = chain.back();
  seen[here] = true;
  std::vector<LinkIndex> first;
  for (const LinkIndex next : waits_for(here, of)) {
    const auto again = std::find(chain.begin(), chain.end(), next);
    if (again != chain.end()) {
      chain.erase(chain.begin(), again);
      return true;
    }
    if (seen[next]) continue;
    std::vector<LinkIndex> further = chain;
    further.push_back(next);
    const bool cycle = find_cycle(further, seen, of);
    if (cycle || first.empty()) first = std::move(further);
    if (cycle) {
      chain = std::move(first);
      return true;
    }
  }
  if (!first.empty()) chain = std::move(first);
  return false;
}

// The link before which most of what came over `link` waits, paused or not; `none`: nothing waits.
LinkIndex PacketFabric::holds_most_of(LinkIndex link, ClassIndex of) const {
  LinkIndex fullest = none;
  std::uint64_t most = 0;
  for (LinkIndex next = 0; next < ports_.size(); ++next) {
    std::uint64_t held = 0;
    const OutputQueue& queue = queue_of(next, of);
    for (PacketIndex index = queue.first; index != none; index = packets_[index].next) {
      const Packet& packet = packets_[index];
      if (packet.over == link) held += packet.wire_bytes;
    }
    if (held <= most) continue;
    most = held;
    fullest = next;
  }
  return fullest;
}

void PacketFabric::watchdog_barks(LinkIndex link, ClassIndex of) {
  std::vector<LinkIndex> chain{link};
  std::vector<bool> seen(ports_.size());
  LastingPause pause;
  pause.priority = classes_[of].priority;
  pause.time = spec_.pfc.watchdog;
  pause.cycle = find_cycle(chain, seen, of);
  if (const LinkIndex slow = pause.cycle ? none : holds_most_of(chain.back(), of); slow != none)
    chain.push_back(slow);
  for (const LinkIndex one : chain) pause.chain.push_back({one, queue_of(one, of).waiting});
  pause.root = end_of(chain.back());
  owner_.pause_lasts(pause);
  pauses_->ignore_pause(pause.cycle ? chain.front() : link, of);
}

// --- When nothing is left to happen ---

std::uint64_t PacketFabric::waiting_packets() const {
  std::uint64_t packets = 0;
  for (const OutputQueue& queue : queues_)
    for (PacketIndex index = queue.first; index != none; index = packets_[index].next) ++packets;
  return packets;
}

std::optional<LastingPause> PacketFabric::deadlock() const {
  for (LinkIndex link = 0; link < link_count_; ++link)
    for (ClassIndex of = 0; of < classes_.size(); ++of) {
      std::vector<LinkIndex> chain{link};
      std::vector<bool> seen(ports_.size());
      if ((ports_[link].paused >> of & 1) == 0 || !find_cycle(chain, seen, of)) continue;
      LastingPause pause;
      pause.priority = classes_[of].priority;
      pause.cycle = true;
      for (const LinkIndex one : chain) pause.chain.push_back({one, queue_of(one, of).waiting});
      return pause;
    }
  return std::nullopt;
}

}  // namespace orrery
