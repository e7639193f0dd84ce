// Shortest paths over the links that the routers believe to be up, found on demand.
//
// For every core node (core_graph.h) by which a target is entered there is a distance field, the
// distances of all core nodes to it: computed by a backward search when a message first asks, and
// dropped when the fields outgrow a limit, least recently asked first. The hosts of a leaf switch
// share one. No table grows with the number of pairs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "network/routing/core_graph.h"
#include "network/routing/link_states.h"
#include "network/topology/topology.h"

namespace orrery {

struct LinkShare {
  LinkIndex link;
  double fraction;  // of the bytes; in (0, 1]
};

// How a shortest way goes on from a node of the core.
struct NextLink {
  LinkIndex link;
  // Behind it, if the core ends there: to the target.
  std::optional<LinkIndex> last = {};
  bool operator==(const NextLink&) const = default;
};

// The last node of the core on a way to a target, and the cost from there.
struct Entrance {
  CoreNode node;
  std::uint32_t cost;
};

// The ends of all ways between two nodes, where they have them in common: links out to one node of
// the core, and from another one in. What is between them does not depend on the two nodes.
struct CommonEnds {
  CoreNode exit = no_core_node, entry = no_core_node;  // not the same
  std::array<LinkIndex, 4> links = {};                 // in the order of travel
  std::uint8_t out = 0, count = 0;                     // links to the core, and links in all
};

class ShortestPaths {
 public:
  enum class Choice : std::uint8_t {
    hashed,
    weighted,  // hashed, in proportion to what can be carried behind each choice
    by_port,   // by the digits of the number of the target's port: choose_by_port()
  };
  struct Options {
    Choice choice = Choice::hashed;
    std::size_t cache_bytes = std::size_t{256} << 20;
  };

  // REQUIRES: topology and states outlive this.
  ShortestPaths(const Topology& topology, const LinkStates& states, Options options);

  // As Router::path() and shares(); `hash` decides between equally short ways, unless their port
  // does.
  bool path(NodeId from, NodeId to, std::uint64_t hash, std::vector<LinkIndex>& links);
  void shares(NodeId from, NodeId to, std::vector<LinkShare>& shares);
  // Nothing where ways part before the core, come together behind it, or go past it.
  std::optional<CommonEnds> common_ends(NodeId from, NodeId to);
  bool joined(CoreNode exit, CoreNode entry);
  // shares() of a flow between two nodes of the core. REQUIRES: joined().
  void shares_between(CoreNode exit, CoreNode entry, std::vector<LinkShare>& shares);
  std::vector<Entrance> entrances(NodeId to);
  // The first links of all shortest ways from a node of the core, in the order of the edges there.
  // Appended; nothing if there is no way. REQUIRES: here != to.
  void next_links(NodeId here, NodeId to, std::vector<NextLink>& found);

  const CoreGraph& core() const { return core_; }
  void forget();  // the links that the routers believe in have changed

  std::size_t cached_fields() const { return fields_.size(); }
  std::size_t computed_fields() const { return computed_; }

 private:
  // Between an end and the core, or past the core from end to end: at most two links.
  struct Access {
    CoreNode core = no_core_node;
    std::uint32_t cost = 0;
    std::vector<LinkIndex>::size_type count = 0;
    LinkIndex links[2] = {};  // in the order of travel
  };
  struct Field {
    CoreNode target = no_core_node;
    std::vector<std::uint32_t> distance;  // of each core node
    std::vector<double> capacity;         // towards the target, bytes/s; only if weighted
  };
  // A way: out, through the field of the way in's core node, and in; or past the core.
  struct Candidate {
    std::uint32_t exit, entry;  // indices; entry is none past the core
    double weight;
  };
  enum class Direction { out, in };

  void find_accesses(NodeId end, NodeId other, Direction direction, std::vector<Access>& found);
  void find_bypasses(NodeId from, NodeId to);
  bool find_candidates(NodeId from, NodeId to);
  void weigh(Candidate& candidate);
  const Candidate& choose(NodeId to, std::uint64_t hash) const;

  const Field& field(CoreNode target);
  void compute(Field& field);
  void compute_capacity(Field& field, const std::vector<CoreNode>& by_distance);
  // The edges of the shortest paths from `from`, into next_.
  void find_next(const Field& field, CoreNode from);
  double weight(const Field& field, const CoreEdge& edge) const;
  void number_ports();
  std::size_t choose_next(const Field& field, CoreNode here, std::uint64_t hash) const;
  void walk(CoreNode from, const Field& field, std::uint64_t hash, std::vector<LinkIndex>& links);
  void walk_by_port(CoreNode from, const Field& field, std::uint64_t port,
                    std::vector<LinkIndex>& links);
  void spread(const Field& field, const std::vector<CoreNode>& sources,
              std::vector<LinkShare>& shares);

  const Topology& topology_;
  const LinkStates& states_;
  Options options_;
  CoreGraph core_;
  bool weighted_;
  std::vector<std::uint32_t> ports_;  // of each node, if choices are by port

  std::list<Field> fields_;                         // least recently asked last
  std::vector<std::list<Field>::iterator> cached_;  // of each core node; end() if there is none
  std::size_t most_fields_, computed_ = 0;

  // Room for the question that is being answered.
  std::vector<Access> exits_, entries_;
  std::vector<Candidate> candidates_;
  std::vector<std::vector<CoreNode>> buckets_;
  std::vector<CoreEdge> next_;
  std::vector<double> inflow_;  // of each core node; all 0 between questions
};

}  // namespace orrery
