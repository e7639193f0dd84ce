// What the fabric does where switches choose links, packet by packet.
#include <algorithm>

#include "core/base/check.h"
#include "network/packet/packet_fabric.h"
#include "network/packet/switch_routes.h"

namespace orrery {

void PacketFabric::choose_by(SwitchRoutes& routes) {
  routes_ = &routes;
  measures_ = routes.measures();
}

PathIndex PacketFabric::add_path(std::span<const LinkIndex> links, RouteIndex route) {
  CHECK(!links.empty() && routes_ != nullptr, "a path without links, or nobody to choose them");
  const auto path = static_cast<PathIndex>(path_links_.size());
  path_links_.insert(path_links_.end(), links.begin(), links.end());
  path_links_.insert(path_links_.end(), {chosen_later, route, none});
  return path;
}

void PacketFabric::note_flow(PacketIndex packet, std::uint32_t flow) {
  if (packet >= chosen_.size()) chosen_.resize(packet + 1);
  chosen_[packet].flow = routes_->hashed(flow);
  if (routes_->measures()) routes_->packet_begins(packet);
}

// A packet that switches send on has a short path of its own, which they write: the link that it
// came over, the next one, and what is known of the rest.
void PacketFabric::enter_chosen(PacketIndex index) {
  Packet& packet = packets_[index];
  const LinkIndex over = path_links_[packet.cursor - 1];
  const RouteIndex route = path_links_[packet.cursor + 1];
  Chosen& chosen = chosen_[index];
  const SwitchRoutes::Next* next = routes_->choose(route, over, chosen.flow, index);
  if (next == nullptr) return lose(index, over, DropCause::link_down);
  fetch(packet, next->link);
  std::uint32_t& own = chosen.own_path;
  if (own == none) {
    own = static_cast<std::uint32_t>(path_links_.size());
    // The last ones stay `none`: that ends it, and what follows starts a path.
    path_links_.resize(path_links_.size() + own_path_size, none);
  }
  std::uint32_t* const path = path_links_.data() + own;
  path[0] = over;
  path[1] = next->link;
  path[2] = next->chooses ? chosen_later : next->rest[0];
  path[3] = next->chooses ? route : next->rest[1];
  packet.cursor = own + 1;
  enter(index);
}

void PacketFabric::measure(PacketIndex index, LinkIndex link) {
  routes_->packet_starts(index, link, bytes(packets_[index].wire_bytes));
}

void PacketFabric::end_measure(PacketIndex index) {
  if (!packets_[index].is_frame) routes_->packet_arrived(index);
}

Duration PacketFabric::backlog(LinkIndex link) const {
  const Port& port = ports_[link];
  const Duration sending = std::max(port.free_at - queue_.now(), Duration{});
  if (port.waiting == Bytes{} || port.is_down) return sending;
  if (port.byte_time > 0)
    return sending + picoseconds(std::int64_t{port.byte_time} * port.waiting.value);
  return sending + transfer_time(port.waiting, rests_[link].bandwidth);
}

}  // namespace orrery
