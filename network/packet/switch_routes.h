// Which link a switch sends a packet over, where several lead on: chosen packet by packet, by what
// the switch itself knows now. docs/models/routing.md, "Packet by packet".
//
// A switch knows at once that a link of its own is down. It knows of links elsewhere what the
// routers do, RoutingSpec::reroute_delay after the fact. It sees its own queues and no others.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/event/event_queue.h"
#include "network/packet/packet_fabric.h"
#include "network/packet/path_congestion.h"
#include "network/routing/router.h"
#include "network/routing_spec.h"

namespace orrery {

class SwitchRoutes {
 public:
  static constexpr PathIndex no_path = 0xffff'ffff;

  // True if packets of this policy are sent on by what switches choose.
  static bool serves(RoutingPolicy policy);

  // REQUIRES: serves(router.policy()); all but `spec` outlive this.
  SwitchRoutes(EventQueue& queue, const Topology& topology, const RoutingSpec& spec, Router& router,
               PacketFabric& fabric);

  RouteIndex route_to(NodeId to);
  // How many links lead on from here. REQUIRES: paths part at the node (Router::parts_at).
  std::size_t choices(RouteIndex route, NodeId here);
  HashedFlow hashed(std::uint32_t flow) const;
  // How a packet goes on that came over this link: the next one, and what is known of those behind
  // it. no_path: no link leads on.
  PathIndex choose(RouteIndex route, LinkIndex over, const HashedFlow& flow, PacketIndex packet);

  // --- Congestion-aware policies: what the fabric tells of every packet ---

  bool measures() const { return congestion_ != nullptr; }
  void packet_begins(PacketIndex packet) { congestion_->begin(packet); }
  void packet_starts(PacketIndex packet, LinkIndex link, Bytes size) {
    congestion_->starts(packet, link, size, router_.bandwidth(link), queue_.now());
  }
  void packet_arrived(PacketIndex packet) { congestion_->arrived(packet, queue_.now()); }

  void links_changed() { ++epoch_; }  // some are down, or up again
  void forget();                      // the routers have learnt of it

 private:
  // How to go on from a node: a group, or with this bit the only path; or `none`: not asked yet.
  static constexpr std::uint32_t only = 0x8000'0000, none = 0xffff'ffff;

  struct Next {
    LinkIndex link = 0;
    PathIndex path = 0;
  };
  struct Group {  // the links that lead on from one node, of all routes that go on over these
    std::vector<Next> next;
    std::vector<Next> up;     // those of `next` that are
    std::uint64_t epoch = 0;  // that `up` is of
    std::uint32_t turn = 0;   // place in `up`: spray's next; drill's best of last time
    std::uint32_t node = 0;
    std::uint64_t hash = 0;  // of the node
  };
  struct Last {  // a node next to the target
    CoreNode node = no_core_node;
    std::uint32_t way = none;
  };
  struct Route {                  // of a target, in few bytes
    std::uint32_t area = none;    // targets that are entered by the same nodes of the core share it
    std::uint32_t others = none;  // of others_: of a target with several such nodes
    Last last;
  };
  struct Flowlet {
    LinkIndex link = 0;
    Time last;
  };

  std::uint32_t way_from(RouteIndex route, CoreNode here);
  std::uint32_t& known_way(Route& route, CoreNode here);
  void find_area(RouteIndex index);
  std::uint32_t find_way(NodeId to, NodeId here);
  Next next_over(const NextLink& link, NodeId to);
  void find_up(Group& group);
  CoreNode entered_by(LinkIndex link);
  std::size_t pick(Group& group, const HashedFlow& flow);
  std::size_t in_turn(Group& group);
  std::size_t shorter_of_two(Group& group);
  std::size_t shortest(const Group& group, std::uint64_t hash) const;
  template <class Draw>
  std::size_t of_flowlet(const Group& group, std::uint32_t flow, const Draw& draw);
  std::size_t least_congested(const Group& group, RouteIndex route, CoreNode here, bool is_first,
                              LinkIndex before);
  std::size_t of_path(const Group& group, RouteIndex route, CoreNode here, std::uint32_t flow,
                      PacketIndex packet);
  CoreNode last_of(RouteIndex route) { return routes_[route].last.node; }
  Duration backlog(const Group& group, std::size_t place) const {
    return fabric_.backlog(group.up[place].link);
  }

  EventQueue& queue_;
  const Topology& topology_;
  Router& router_;
  PacketFabric& fabric_;
  RoutingSpec spec_;
  RandomStream random_;
  std::uint64_t epoch_ = 1;
  std::vector<Route> routes_;
  std::vector<NodeId> targets_;  // of routes_
  std::vector<std::vector<Last>> others_;
  std::unordered_map<std::int32_t, RouteIndex> route_to_;
  std::vector<std::uint32_t> ways_;  // by area, and then by CoreNode
  std::vector<CoreNode> entered_;    // by link
  std::map<std::vector<std::uint32_t>, std::uint32_t> area_by_, group_by_;
  std::map<std::vector<std::uint32_t>, PathIndex> path_by_;  // outlives forget()
  std::vector<Group> groups_;
  std::unordered_map<std::uint64_t, Flowlet> flowlets_;  // by node and flow; is never iterated
  std::unique_ptr<PathCongestion> congestion_;           // of conga
};

}  // namespace orrery
