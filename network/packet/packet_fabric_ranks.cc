// Queues that send the flow with the least left first, and lose what has the most: M. Alizadeh et
// al., "pFabric: minimal near-optimal datacenter transport", SIGCOMM 2013, 4.2. A port looks at all
// packets that wait there, which are few.
#include "network/packet/packet_fabric.h"

namespace orrery {

void PacketFabric::note_rank(PacketIndex packet, const PacketToSend& to_send) {
  if (ranks_.size() < packets_.size()) ranks_.resize(packets_.size());
  ranks_[packet] = {to_send.rank, to_send.flow};
}

// `before`: the packet before it in the queue, or none.
void PacketFabric::move_to_front(OutputQueue& queue, PacketIndex before, PacketIndex packet) {
  if (before == none) return;
  packets_[before].next = packets_[packet].next;
  if (queue.last == packet) queue.last = before;
  packets_[packet].next = queue.first;
  queue.first = packet;
}

// Of the flow that has the packet with the least rank, the earliest packet: ranks fall as a flow
// goes on, and its packets keep their order. REQUIRES: the queue is not empty.
void PacketFabric::bring_least(OutputQueue& queue) {
  PacketIndex least = queue.first;
  for (PacketIndex one = queue.first; one != none; one = packets_[one].next)
    if (ranks_[one].rank < ranks_[least].rank) least = one;
  PacketIndex before = none;
  for (PacketIndex one = queue.first; one != none; before = one, one = packets_[one].next)
    if (ranks_[one].flow == ranks_[least].flow) return move_to_front(queue, before, one);
}

// Brings the last one of the packets with the highest rank to the front, if that is above the
// packet's.
bool PacketFabric::has_more_than(OutputQueue& queue, PacketIndex packet) {
  PacketIndex most = none, before_most = none, before = none;
  for (PacketIndex one = queue.first; one != none; before = one, one = packets_[one].next) {
    if (most != none && ranks_[one].rank < ranks_[most].rank) continue;
    most = one;
    before_most = before;
  }
  if (most == none || ranks_[most].rank <= ranks_[packet].rank) return false;
  move_to_front(queue, before_most, most);
  return true;
}

// Loses packets with a higher rank until this one has room.
bool PacketFabric::make_room(PacketIndex packet, LinkIndex link, Port& port, unsigned of) {
  OutputQueue& queue = queue_of(link, of);
  while (has_more_than(queue, packet)) {
    const PacketIndex lost = take_head(port, link, of);
    lose(lost, link, DropCause::full);
    if (finds_room(packets_[packet], port, queue)) return true;
  }
  return false;
}

}  // namespace orrery
