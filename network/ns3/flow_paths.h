// The paths that the packets of a connection take, and links that fail under them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/ns3/tcp_flow.h"
#include "network/packet/packet_fabric.h"
#include "network/routing/router.h"

namespace orrery {

class FlowPaths {
 public:
  // REQUIRES: all outlive this.
  FlowPaths(EventQueue& queue, const Topology& topology, const RoutingSpec& spec,
            PacketFabric& fabric, RouteListener& listener);

  // The paths that packets of a connection take in turn: one; several, if they are sprayed; none,
  // if a fault cut the two off and a later one may join them. Throws NoRouteError if none will.
  // `connection`: counts those between the two.
  PathChoice choose(NodeId from, NodeId to, std::uint32_t connection);

  // The links of the first of them.
  std::vector<LinkIndex> links(NodeId from, NodeId to, std::uint32_t connection);

  Bandwidth bandwidth(LinkIndex link) const { return router_.bandwidth(link); }

 private:
  EventQueue& queue_;
  PacketFabric& fabric_;
  Router router_;
};

}  // namespace orrery
