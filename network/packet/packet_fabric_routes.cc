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
  if (packet >= flows_.size()) flows_.resize(packet + 1);
  flows_[packet] = routes_->hashed(flow);
  if (routes_->measures()) routes_->packet_begins(packet);
}

PathIndex PacketFabric::add_open_path(LinkIndex link) {
  const auto path = static_cast<PathIndex>(path_links_.size());
  path_links_.insert(path_links_.end(), {link, chosen_later, none});
  return path;
}

// A packet that switches send on goes from one short path to the next, which all packets share.
void PacketFabric::enter_chosen(PacketIndex index) {
  Packet& packet = packets_[index];
  __builtin_prefetch(&flows_[index]);
  if (const RouteIndex route = path_links_[packet.cursor + 1]; route != none) packet.route = route;
  const PathIndex path = routes_->choose(packet.route, packet.over, flows_[index], index);
  if (path == SwitchRoutes::no_path) return lose(index, packet.over, DropCause::link_down);
  packet.cursor = path;
  fetch(packet, path_links_[path]);
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
