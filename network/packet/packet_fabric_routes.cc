// What the fabric does where switches choose links, packet by packet.
#include <algorithm>

#include "core/base/check.h"
#include "network/packet/packet_fabric.h"
#include "network/packet/switch_routes.h"

namespace orrery {

void PacketFabric::choose_by(SwitchRoutes& routes) {
  routes_ = &routes;
  measures_ = routes.measures();
  sees_flows_ = routes.sees_flows();
}

PathIndex PacketFabric::add_path(std::span<const LinkIndex> links, RouteIndex route) {
  CHECK(!links.empty() && routes_ != nullptr, "a path without links, or nobody to choose them");
  path_links_.push_back(route);
  const auto path = static_cast<PathIndex>(path_links_.size());
  path_links_.insert(path_links_.end(), links.begin(), links.end());
  path_links_.insert(path_links_.end(), {chosen_later, routes_->chooser_behind(links.back())});
  return path;
}

// A packet of a path where no switch chooses gets a route that means nothing, and does not need it.
void PacketFabric::note_flow(PacketIndex packet, const PacketToSend& to_send) {
  if (to_send.path > 0) packets_[packet].route = path_links_[to_send.path - 1];
  if (measures_) routes_->packet_begins(packet);
  if (!sees_flows_) return;
  if (packet >= flows_.size()) flows_.resize(packet + 1);
  flows_[packet] = routes_->seen_of(to_send.flow);
}

PathIndex PacketFabric::add_open_path(LinkIndex link) {
  const auto path = static_cast<PathIndex>(path_links_.size());
  path_links_.insert(path_links_.end(), {link, chosen_later, routes_->chooser_behind(link)});
  return path;
}

// A packet that switches send on goes from one short path to the next, which all packets share.
void PacketFabric::enter_chosen(PacketIndex index) {
  Packet& packet = packets_[index];
  const SwitchRoutes::Next next = routes_->choose(packet.route, path_links_[packet.cursor + 1],
                                                  sees_flows_ ? flows_[index] : 0, index);
  if (next.path == SwitchRoutes::no_path) return lose(index, packet.over, DropCause::link_down);
  packet.cursor = next.path;
  fetch(packet, next.link);
  enter(index, next.link);
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
