#include "network/packet/priority_pauses.h"

#include <algorithm>
#include <map>

#include "network/packet/headroom.h"

namespace orrery {
namespace {

constexpr LinkIndex none = 0xffff'ffff;

// The k-th link from b to a is the other direction of the k-th from a to b.
std::vector<LinkIndex> opposite_links(const Topology& topology) {
  std::map<std::pair<NodeId, NodeId>, std::vector<LinkIndex>> between;
  for (LinkIndex i = 0; i < topology.links().size(); ++i)
    between[{topology.links()[i].from, topology.links()[i].to}].push_back(i);
  std::vector<LinkIndex> opposite(topology.links().size(), none);
  for (const auto& [ends, links] : between) {
    const auto back = between.find({ends.second, ends.first});
    if (back == between.end()) continue;
    const std::size_t pairs = std::min(links.size(), back->second.size());
    for (std::size_t k = 0; k < pairs; ++k) opposite[links[k]] = back->second[k];
  }
  return opposite;
}

}  // namespace

PriorityPauses::PriorityPauses(EventQueue& queue, const Topology& topology, const SwitchSpec& spec,
                               std::span<const PacketClass> classes, PauseWire& wire)
    : queue_(queue),
      topology_(topology),
      spec_(spec),
      classes_(classes.begin(), classes.end()),
      wire_(wire),
      handler_(queue.add_handler(*this)),
      opposite_(opposite_links(topology)),
      receivers_(topology.links().size() * classes.size()),
      receiver_rests_(receivers_.size()),
      senders_(receivers_.size()) {
  for (LinkIndex link = 0; link < topology.links().size(); ++link)
    for (ClassIndex of = 0; of < classes_.size(); ++of)
      receiver_rests_[place(link, of)].headroom_size =
          headroom_of(classes_[of], spec_, topology.links()[link]);
}

Bytes PriorityPauses::set_aside(LinkIndex in) const {
  Bytes sum;
  for (ClassIndex of = 0; of < classes_.size(); ++of)
    if (classes_[of].lossless)
      sum += spec_.port_reserve + receiver_rests_[place(in, of)].headroom_size;
  return sum;
}

// `more`: beyond what the class of the link holds of the shared part.
bool PriorityPauses::above(const Receiver& receiver, ClassIndex of, Bytes more,
                           const SwitchMemory& memory) const {
  const double threshold = classes_[of].alpha * static_cast<double>(memory.free().value);
  const auto held = static_cast<double>((receiver.shared + more).value);
  return held >= threshold;
}

bool PriorityPauses::admit(LinkIndex in, ClassIndex of, Bytes size, SwitchMemory& memory) {
  const std::size_t at = place(in, of);
  Receiver& receiver = receivers_[at];
  if (receiver.reserve + size <= spec_.port_reserve) {
    receiver.reserve += size;
    memory.hold(size, queue_.now());
    return true;
  }
  if (!above(receiver, of, {}, memory)) {
    receiver.shared += size;
    memory.add(size, queue_.now());
  } else if (receiver.headroom + size <= receiver_rests_[at].headroom_size) {
    receiver.headroom += size;
    memory.hold(size, queue_.now());
  } else {
    return false;
  }
  if (!receiver.paused && (receiver.headroom > Bytes{} || above(receiver, of, {}, memory))) {
    receiver.paused = true;
    tell(at, true);
  }
  return true;
}

void PriorityPauses::release(LinkIndex in, ClassIndex of, Bytes size, SwitchMemory& memory) {
  const std::size_t at = place(in, of);
  Receiver& receiver = receivers_[at];
  const Bytes headroom = std::min(receiver.headroom, size);
  const Bytes shared = std::min(receiver.shared, size - headroom);
  receiver.headroom -= headroom;
  receiver.shared -= shared;
  receiver.reserve -= size - headroom - shared;
  memory.remove(size, shared, queue_.now());
  if (!receiver.paused || receiver.headroom > Bytes{}) return;
  if (receiver.shared > Bytes{} && above(receiver, of, spec_.pfc.resume_offset, memory)) return;
  receiver.paused = false;
  tell(at, false);
}

void PriorityPauses::tell(std::size_t at, bool pause) {
  const auto link = link_at(at);
  if (opposite_[link] == none) return;
  wire_.send_frame(opposite_[link], {class_at(at), pause});
  ReceiverRest& receiver = receiver_rests_[at];
  receiver.told_at = queue_.now();
  if (!pause || receiver.refresh_comes) return;
  receiver.refresh_comes = true;
  schedule(queue_.now() + half_pause(link), Happens::refresh, at);
}

Duration PriorityPauses::half_pause(LinkIndex link) const {
  return {longest_pause(topology_.links()[link].bandwidth).value / 2};
}

// A pause is told again when half of its time is over.
void PriorityPauses::refresh(std::size_t at) {
  ReceiverRest& receiver = receiver_rests_[at];
  receiver.refresh_comes = false;
  if (!receivers_[at].paused) return;
  const auto link = link_at(at);
  const Time due = receiver.told_at + half_pause(link);
  if (due <= queue_.now()) return tell(at, true);
  receiver.refresh_comes = true;
  schedule(due, Happens::refresh, at);
}

// --- The sender of a link ---

void PriorityPauses::frame_arrived(LinkIndex over, PauseFrame frame) {
  const LinkIndex link = opposite_[over];
  const Duration response = response_of(spec_.pfc, topology_.links()[link].bandwidth);
  schedule(queue_.now() + response, Happens::frame_acts, place(link, frame.of), frame.pause);
}

void PriorityPauses::act(std::size_t at, bool pause) {
  Sender& sender = senders_[at];
  if (!pause) {
    sender.ignored = false;
    if (sender.paused) end_pause(at);
    return;
  }
  if (sender.ignored) return;
  const auto link = link_at(at);
  sender.until = queue_.now() + longest_pause(topology_.links()[link].bandwidth);
  if (sender.paused) return;
  sender.paused = true;
  sender.since = queue_.now();
  ++sender.count;
  wire_.pause_changed(link, class_at(at), true);
  if (sender.check_comes) return;
  sender.check_comes = true;
  schedule(std::min(sender.until, sender.since + spec_.pfc.watchdog), Happens::check, at);
}

// One event for the end of the pause and for the watchdog, however often both move.
void PriorityPauses::check(std::size_t at) {
  Sender& sender = senders_[at];
  sender.check_comes = false;
  if (!sender.paused) return;
  if (sender.until <= queue_.now()) return end_pause(at);
  Time next = sender.since + spec_.pfc.watchdog;
  if (next <= queue_.now()) {
    wire_.watchdog_barks(link_at(at), class_at(at));
    if (!sender.paused) return;
    next = queue_.now() + spec_.pfc.watchdog;
  }
  sender.check_comes = true;
  schedule(std::min(sender.until, next), Happens::check, at);
}

void PriorityPauses::end_pause(std::size_t at) {
  Sender& sender = senders_[at];
  sender.paused = false;
  sender.total += queue_.now() - sender.since;
  wire_.pause_changed(link_at(at), class_at(at), false);
}

void PriorityPauses::ignore_pause(LinkIndex link, ClassIndex of) {
  Sender& sender = senders_[place(link, of)];
  sender.ignored = true;
  if (sender.paused) end_pause(place(link, of));
}

// --- Events ---

void PriorityPauses::schedule(Time when, Happens what, std::size_t at, bool pause) {
  queue_.schedule_at(
      when, handler_,
      std::uint64_t{at} << 3 | static_cast<std::uint64_t>(what) << 1 | (pause ? 1U : 0U));
}

void PriorityPauses::on_event(std::uint64_t argument) {
  const auto at = static_cast<std::size_t>(argument >> 3);
  switch (static_cast<Happens>(argument >> 1 & 3)) {
    case Happens::frame_acts:
      return act(at, (argument & 1) != 0);
    case Happens::refresh:
      return refresh(at);
    case Happens::check:
      return check(at);
  }
}

std::vector<PauseStatistics> PriorityPauses::statistics() const {
  std::vector<PauseStatistics> rows;
  for (LinkIndex link = 0; link < opposite_.size(); ++link)
    for (ClassIndex of = 0; of < classes_.size(); ++of) {
      const Sender& one = sender(link, of);
      if (one.count == 0) continue;
      const Duration open = one.paused ? queue_.now() - one.since : Duration{};
      rows.push_back({link, classes_[of].priority, one.count, one.total + open});
    }
  return rows;
}

}  // namespace orrery
