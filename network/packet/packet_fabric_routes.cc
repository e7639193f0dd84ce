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
  if (packet >= flows_.size()) {
    flows_.resize(packet + 1);
    own_paths_.resize(packet + 1, none);
  }
  flows_[packet] = flow;
  if (routes_->measures()) routes_->packet_begins(packet);
}

// A packet that switches send on has a short path of its own, which they write: the link that it
// came over, the next one, and what is known of the rest.
void PacketFabric::enter_chosen(PacketIndex index) {
  Packet& packet = packets_[index];
  const LinkIndex over = path_links_[packet.cursor - 1];
  const RouteIndex route = path_links_[packet.cursor + 1];
  const SwitchRoutes::Next* next = routes_->choose(route, end_of(over), flows_[index], index);
  if (next == nullptr) return lose(index, over, DropCause::link_down);
  std::uint32_t& own = own_paths_[index];
  if (own == none) {
    own = static_cast<std::uint32_t>(path_links_.size());
    // The last one stays `none`: what follows it starts a path.
    path_links_.resize(path_links_.size() + own_path_size, none);
  }
  const auto path = std::span(path_links_).subspan(own, own_path_size);
  path[0] = over;
  path[1] = next->link;
  if (next->chooses) {
    path[2] = chosen_later;
    path[3] = route;
  } else {
    std::copy_n(next->rest.begin(), next->rest_count, path.begin() + 2);
    path[2 + std::size_t{next->rest_count}] = none;
  }
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
