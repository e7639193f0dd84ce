// Which links a message takes from one node to another, now.
//
// On levels, routes are arithmetic (level_routes.h); on graphs, and on levels where the policy or a
// fault asks for it, they are found by searching (shortest_paths.h). Links that failed are avoided
// once the routers have learnt of it, RoutingSpec::reroute_delay after the fact.
// docs/models/routing.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/event/event_queue.h"
#include "network/no_route.h"
#include "network/routing/link_states.h"
#include "network/routing/shortest_paths.h"
#include "network/routing_spec.h"
#include "network/topology/topology.h"

namespace orrery {

class RouteListener {
 public:
  // What these links can carry has changed: see Router::bandwidth(). Routes have not, yet.
  virtual void links_changed(std::span<const LinkIndex> links) = 0;
  // The routers have learnt of all changes so far: path() and shares() may answer differently, and
  // no answer contains a link that is down.
  virtual void routes_changed() = 0;

 protected:
  ~RouteListener() = default;
};

class Router {
 public:
  // REQUIRES: topology outlives the router; spec names links and nodes that exist, and its static
  // routes lead from link to link.
  Router(const Topology& topology, const RoutingSpec& spec);
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  // Appends the links of the flow's path, in order. `flow` tells the flows between two nodes apart
  // (under ecmp, valiant: it is hashed). The same arguments give the same path until routes change.
  // Returns false, with nothing appended, if there is no path now. Between a fault and
  // routes_changed() the path may contain a link that is down. REQUIRES: from != to.
  //
  // Where wires join two NPUs by no path, whatever has failed, it goes through another NPU of
  // the sender's server, as NCCL's PXN: on rails that nothing joins, the one on the target's rail.
  bool path(NodeId from, NodeId to, std::uint64_t flow, std::vector<LinkIndex>& links);

  // How a flow that is sprayed divides over all its shortest paths: of every link on them, the
  // fraction of the bytes that crosses it, in ascending order of the links. Appended; nothing if
  // there is no path. At every node the rest divides equally over the next links. Where routes are
  // arithmetic, the one path with 1. REQUIRES: from != to.
  void shares(NodeId from, NodeId to, std::vector<LinkShare>& shares);

  // Of flows of which shares() asks: the ends that all ways have in common, and what is between.
  // Nothing also where a way is static, relayed, or arithmetic.
  std::optional<CommonEnds> common_ends(NodeId from, NodeId to);
  void shares_between(CoreNode exit, CoreNode entry, std::vector<LinkShare>& shares) {
    search().shares_between(exit, entry, shares);
  }

  // As find_alike_links(), of flows of which shares() asks. Empty also where links fail, or ways
  // are static or arithmetic.
  std::vector<LinkIndex> alike_links();
  std::size_t ends_of_ways();  // whose pairs that looks at

  // --- Where switches choose, packet by packet ---

  // At this node paths part: it is no stub (core_graph.h).
  bool parts_at(NodeId node) { return core_of(node) != no_core_node; }
  CoreNode core_of(NodeId node) { return search().core().core(node); }
  NodeId node_of(CoreNode core) { return search().core().node(core); }
  std::size_t core_size() { return search().core().size(); }
  // As those of ShortestPaths.
  std::vector<Entrance> entrances(NodeId to) { return search().entrances(to); }
  // REQUIRES: parts_at(here).
  void next_links(NodeId here, NodeId to, std::vector<NextLink>& found) {
    search().next_links(here, to, found);
  }
  // The links that leave a node.
  std::size_t links_from(NodeId node) { return search().core().links_from(node).size(); }
  bool relays() const { return relays_; }  // some path() goes through another NPU
  bool has_static_route(NodeId from, NodeId to) const;

  // The `flow` for the next message of a source: 0 under ecmp (expected too) and d_mod_k: all
  // between two nodes go the same way; 0 .. paths-1 in turn under qp_spread; never the same twice
  // under spray and valiant.
  std::uint64_t next_flow(NodeId from);
  // No two messages of a source have the same `flow`.
  bool draws_each_message() const { return !has_one_flow() && policy_ != RoutingPolicy::qp_spread; }

  RoutingPolicy policy() const { return policy_; }  // never automatic
  std::int32_t paths() const { return spec_.paths; }

  // --- Links that fail, recover or slow down ---

  // Schedules the changes that the spec lists. REQUIRES: called once at most; the router and the
  // listener outlive the queue's last event.
  void schedule_changes(EventQueue& queue, RouteListener& listener);
  // True if links or routes will change later: a message without a way may wait.
  bool changes_to_come() const { return changes_to_come_ > 0; }
  // What the link can carry now; 0 if it is down.
  Bandwidth bandwidth(LinkIndex link) const { return states_.bandwidth(link); }
  bool carries(std::span<const LinkIndex> path) const;  // no link of it is down
  // The routers have not heard that it is down: they send over it.
  bool believed_up(LinkIndex link) const { return states_.believed_up(link); }

  // For a message that has no way and will not have one: the run ends, once all that is under way
  // now has been done, with a NoRouteError that says who, when, and what to do about it.
  void give_up(NodeId from, NodeId to, EventQueue& queue);

 private:
  bool has_one_flow() const {  // between two nodes
    return policy_ == RoutingPolicy::dimension_order || policy_ == RoutingPolicy::ecmp ||
           policy_ == RoutingPolicy::ecmp_expected || policy_ == RoutingPolicy::weighted_ecmp ||
           policy_ == RoutingPolicy::d_mod_k;
  }
  bool structural_path(NodeId from, NodeId to, std::vector<LinkIndex>& links) const;
  bool static_path(NodeId from, NodeId to, std::vector<LinkIndex>& links) const;
  bool valiant_path(NodeId from, NodeId to, std::uint64_t hash, std::vector<LinkIndex>& links);
  bool wires_join(NodeId from, NodeId to);
  bool relayed_path(NodeId from, NodeId to, std::uint64_t hash, std::vector<LinkIndex>& links);
  void cut_loops(NodeId from, std::size_t first, std::vector<LinkIndex>& links) const;
  bool believed_up(std::span<const LinkIndex> path) const;
  ShortestPaths& search();
  void apply(const Fault& fault, EventQueue& queue, RouteListener& listener);
  void learn(RouteListener& listener);

  const Topology& topology_;
  RoutingSpec spec_;  // faults sorted by time, routes by their ends
  RoutingPolicy policy_;
  LinkStates states_;
  std::unique_ptr<ShortestPaths> search_;  // made when it is needed first
  // Of the wires as they are without faults; made when it is needed first.
  LinkStates whole_;
  std::unique_ptr<ShortestPaths> whole_search_;
  std::vector<std::uint32_t> sent_;  // of each node, for next_flow()
  std::size_t changes_to_come_ = 0;
  bool gave_up_ = false, relays_ = false;
};

}  // namespace orrery
