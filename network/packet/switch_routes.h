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
#include "network/packet/flowlet_table.h"
#include "network/packet/packet_fabric.h"
#include "network/packet/path_congestion.h"
#include "network/routing/flow_hash.h"
#include "network/routing/router.h"
#include "network/routing_spec.h"

namespace orrery {

class SwitchRoutes {
 public:
  static constexpr PathIndex no_path = 0xffff'ffff;
  struct Next {
    LinkIndex link = 0;  // the first of the path
    PathIndex path = 0;
  };

  // True if packets of this policy are sent on by what switches choose.
  static bool serves(RoutingPolicy policy);

  // REQUIRES: serves(router.policy()); all but `spec` outlive this.
  SwitchRoutes(EventQueue& queue, const Topology& topology, const RoutingSpec& spec, Router& router,
               PacketFabric& fabric);

  RouteIndex route_to(NodeId to);
  // How many links lead on from here. REQUIRES: paths part at the node (Router::parts_at).
  std::size_t choices(RouteIndex route, NodeId here);
  // Who chooses behind a link. REQUIRES: paths part there (Router::parts_at).
  CoreNode chooser_behind(LinkIndex link) { return router_.core_of(topology_.links()[link].to); }
  // What the policy sees of a flow: its hash, or its number; or nothing.
  bool sees_flows() const { return sees_ != Sees::nothing; }
  std::uint64_t seen_of(std::uint32_t flow) const {
    return sees_ == Sees::hash ? mixed(spec_.seed ^ mixed(flow)) : flow;
  }
  // How a packet goes on from here: the next link, and what is known of those behind it. Of no_path
  // if no link leads on. `seen`: of its flow.
  Next choose(RouteIndex route, CoreNode here, std::uint64_t seen, PacketIndex packet);

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

  // The links that lead on from one node, of all routes that go on over these: half a cache line.
  struct alignas(32) Group {
    std::uint64_t hash = 0;   // of the node
    std::uint32_t first = 0;  // in next_ and up_
    std::uint32_t all = 0;    // so many there
    std::uint32_t up = 0;     // so many of these in up_: those that are up
    std::uint32_t epoch = 0;  // that up_ is of
    std::uint32_t turn = 0;   // place in up_: spray's next; drill's best of last time
  };
  static_assert(sizeof(Group) == 32);
  enum class Sees : std::uint8_t { nothing, number, hash };
  static Sees sees(RoutingPolicy policy);
  struct Last {  // a node next to the target
    CoreNode node = no_core_node;
    std::uint32_t way = none;
  };
  struct Route {                  // of a target, in few bytes
    std::uint32_t area = none;    // targets that are entered by the same nodes of the core share it
    std::uint32_t others = none;  // of others_: of a target with several such nodes
    Last last;
  };

  std::uint32_t way_from(RouteIndex route, CoreNode here);
  std::uint32_t& known_way(Route& route, CoreNode here);
  void find_area(RouteIndex index);
  std::uint32_t find_way(NodeId to, NodeId here);
  Next next_over(const NextLink& link, NodeId to);
  void find_up(Group& group);
  std::size_t pick(Group& group, CoreNode here, std::uint64_t seen);
  std::size_t in_turn(Group& group);
  std::size_t shorter_of_two(Group& group);
  std::size_t shortest(const Group& group, std::uint64_t hash) const;
  template <class Draw>
  std::size_t of_flowlet(const Group& group, CoreNode here, std::uint32_t flow, const Draw& draw);
  std::size_t least_congested(const Group& group, RouteIndex route, CoreNode here, bool is_first,
                              LinkIndex before);
  std::size_t of_path(const Group& group, RouteIndex route, CoreNode here, std::uint32_t flow,
                      PacketIndex packet);
  CoreNode last_of(RouteIndex route) { return routes_[route].last.node; }
  Duration backlog(const Group& group, std::size_t place) const {
    return fabric_.backlog(up_[group.first + place].link);
  }

  EventQueue& queue_;
  const Topology& topology_;
  Router& router_;
  PacketFabric& fabric_;
  RoutingSpec spec_;
  RandomStream random_;
  Sees sees_ = Sees::nothing;
  std::uint32_t epoch_ = 1;
  std::vector<Route> routes_;
  std::vector<NodeId> targets_;  // of routes_
  std::vector<std::vector<Last>> others_;
  std::unordered_map<std::int32_t, RouteIndex> route_to_;
  std::vector<std::uint32_t> ways_;  // by area, and then by CoreNode
  std::map<std::vector<std::uint32_t>, std::uint32_t> area_by_, group_by_;
  std::map<std::vector<std::uint32_t>, PathIndex> path_by_;  // outlives forget()
  std::vector<Group> groups_;
  std::vector<Next> next_, up_;  // of all groups, one after the other
  FlowletTable flowlets_;
  std::unique_ptr<PathCongestion> congestion_;  // of conga
};

}  // namespace orrery
