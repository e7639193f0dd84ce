// The paths that the packets of a connection take, and links that fail under them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "network/packet/packet_fabric.h"
#include "network/packet/switch_routes.h"
#include "network/routing/router.h"

namespace orrery {

// Paths of the packets of one direction, taken in turn.
struct PathChoice {
  std::vector<PathIndex> paths;
  std::size_t next = 0;
  PathIndex take() {
    const PathIndex path = paths[next];
    if (++next == paths.size()) next = 0;
    return path;
  }
};

class FlowPaths final : private RouteListener {
 public:
  // REQUIRES: all outlive this.
  FlowPaths(EventQueue& queue, const Topology& topology, const RoutingSpec& spec,
            PacketFabric& fabric, RouteListener& listener);

  // The paths that packets of a connection take in turn: one; several under valiant, and where
  // switches choose, over several links of the source; none, if the two are cut off. `connection`:
  // counts those between the two.
  PathChoice choose(NodeId from, NodeId to, std::uint32_t connection);

  // The links of the first of them.
  std::vector<LinkIndex> links(NodeId from, NodeId to, std::uint32_t connection);

  Bandwidth bandwidth(LinkIndex link) const { return router_.bandwidth(link); }

  // Connections between two NPUs, of which `asked` are asked for: a queue pair is a connection.
  std::int32_t connections(std::int32_t asked) const {
    return router_.policy() == RoutingPolicy::qp_spread ? std::max(asked, router_.paths()) : asked;
  }

  // Ends the run if a connection that has something to send has no path, in one direction (from
  // `from` to `to`) or the other, and will not have one.
  void require_paths(NodeId from, NodeId to, const PathChoice& forward, const PathChoice& backward);

  // Packets of a connection may overtake each other.
  bool reorders() const;

 private:
  void links_changed(std::span<const LinkIndex> links) override;
  void routes_changed() override;
  std::size_t fixed_part(std::span<const LinkIndex> links, NodeId to);

  EventQueue& queue_;
  const Topology& topology_;
  PacketFabric& fabric_;
  RouteListener& listener_;
  Router router_;
  std::optional<SwitchRoutes> routes_;  // if switches choose
};

}  // namespace orrery
