// Which way messages go, and what happens to the links during a run, as plain data.
// docs/models/routing.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/units/units.h"
#include "network/topology/graph_spec.h"

namespace orrery {

enum class RoutingPolicy : std::uint8_t {
  automatic,        // dimension order on levels; on graphs ecmp, or what stands for it (of_flows)
  dimension_order,  // level by level, innermost first; levels only
  ecmp,             // one of the shortest paths, by a hash of the flow, a choice at every node
  ecmp_expected,    // of every flow the part on each shortest path that a hash gives it on average
  weighted_ecmp,    // the same, in proportion to what can be carried behind each choice
  d_mod_k,          // one of the shortest paths, by the digits of the target's port
  qp_spread,        // ecmp with `paths` flows between two nodes, taken in turn
  spray,            // every packet its own way: all shortest paths at once
  valiant,          // shortest to a switch drawn by the hash, and shortest from there
  letflow,          // a flow keeps its way, and draws another one after a gap; packets only
  conga,            // after a gap it takes the way that was least congested, as switches are told
  drill,            // the shorter of two queues that a switch draws and of the last one
  adaptive,         // the shortest queue before a next link
  source,           // by a value that the sender gives each packet
};
std::string_view name_of(RoutingPolicy policy);

// A switch looks at each packet and chooses its next link: only where messages are packets.
constexpr bool needs_packets(RoutingPolicy policy) { return policy >= RoutingPolicy::letflow; }

// How a switch sprays packets.
enum class SprayOrder : std::uint8_t { round_robin, random };
std::string_view name_of(SprayOrder order);

// Where messages are flows, they take all shortest paths at once.
constexpr bool takes_all_paths(RoutingPolicy policy) {
  return policy == RoutingPolicy::spray || policy == RoutingPolicy::ecmp_expected;
}

enum class LinkCondition : std::uint8_t { down, degraded, up };
std::string_view name_of(LinkCondition condition);

// What befalls one link, or all links of a node, at a time.
struct Fault {
  Time at;
  std::optional<LinkIndex> link;  // either this
  std::optional<NodeId> node;     // or this; then down or up
  LinkCondition condition = LinkCondition::down;
  Bandwidth bandwidth;  // of a degraded link; > 0
};

// The links from one node to another, in order, for all flows between the two.
struct StaticRoute {
  NodeId from, to;
  std::vector<LinkIndex> links;
};

struct RoutingSpec {
  RoutingPolicy policy = RoutingPolicy::automatic;
  std::int32_t paths = 4;                      // of qp_spread; >= 1
  std::uint64_t seed = 1;                      // of the hash
  SprayOrder spray = SprayOrder::round_robin;  // of packets
  Duration flowlet_gap = microseconds(100);    // of letflow and conga
  // From a change of the links until routes take it into account.
  Duration reroute_delay = {};
  std::vector<Fault> faults = {};  // in any order
  std::vector<StaticRoute> routes =
      {};  // at most one for each pair; used while all its links are up

  // As backends without packets take it: on a graph, `automatic` is ecmp_expected, so that a result
  // does not hang on one draw of the hash.
  RoutingSpec of_flows(bool structural) const {
    RoutingSpec spec = *this;
    if (!structural && policy == RoutingPolicy::automatic)
      spec.policy = RoutingPolicy::ecmp_expected;
    return spec;
  }

  // True if a route is more than what levels say at once.
  bool searches(bool structural) const {
    return !structural || !faults.empty() || !routes.empty() ||
           (policy != RoutingPolicy::automatic && policy != RoutingPolicy::dimension_order);
  }
};

}  // namespace orrery
