// The platform as plain data: NPUs, switches and the directed links between them. Immutable; every
// backend and the system layer read the same one. There are two ways to say what the wires are.
//
// Structural: the levels say it, and routes are arithmetic. Levels, innermost first. NPU ids are
// mixed-radix numbers over the level sizes, level 0 fastest: with sizes {16, 8}, NPU 37 is (5, 2),
// local rank 5 of node 2. Level l joins the NPUs that differ in coordinate l only:
//   ring             each NPU to its two neighbours (of size 2: one neighbour, one link)
//   mesh             a ring without the link that closes it: the ends have one neighbour
//   fully_connected  each NPU to every other one by a link of its own
//   switch           each NPU to a switch of that group; crossing it costs two links
// A message that differs in several coordinates is carried level by level, innermost first.
//
// A graph (TopologySpec::graph, made by network/topology/builders/ or written out): nodes and links
// are the graph's, and routes are searched for (network/routing/router.h). The levels, of kind
// `graph`, then only say how the NPUs are grouped, which hierarchical collectives need, and what an
// NPU can send and how long a message takes there at best.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/units.h"
#include "network/topology/graph_spec.h"

namespace orrery {

enum class LevelKind : std::uint8_t { ring, mesh, fully_connected, switched, graph };
// As written in YAML: "ring", "mesh", "fully_connected", "switch"; "graph" is never written.
std::string_view name_of(LevelKind kind);

// local: inside a node (NVLink, the package); scale_out: between nodes, through NICs.
enum class Scope : std::uint8_t { local, scale_out };
std::string_view name_of(Scope scope);

struct LevelSpec {
  std::string name;  // for reports; "" = "level N"
  LevelKind kind = LevelKind::switched;
  std::int32_t size = 0;  // members of one group; >= 2
  Bandwidth bandwidth;    // of one link, one direction; > 0. graph: what an NPU can send there
  Duration latency;       // of one link; >= 0. graph: between the nearest two NPUs
  Scope scope = Scope::scale_out;
  bool in_network_reduction = false;  // its switches add and multicast: NVLS, SHARP
};

struct TopologySpec {
  std::vector<LevelSpec> levels;  // innermost first; at least one
  // The wires, if levels of kind `graph` do not say them; then every level is of that kind.
  std::shared_ptr<const GraphSpec> graph = nullptr;
};

class Topology {
 public:
  // REQUIRES: problems_of(spec) finds none (network/problems.h).
  explicit Topology(TopologySpec spec);

  bool structural() const { return graph_ == nullptr; }
  std::span<const LevelSpec> levels() const { return levels_; }
  std::int32_t npu_count() const { return npu_count_; }
  std::int32_t node_count() const { return node_count_; }
  std::span<const Link> links() const { return graph_ ? graph_->links : links_; }

  NodeKind node_kind(NodeId node) const;
  bool forwards(NodeId node) const;  // passes on what is not for it
  std::string node_name(NodeId node) const;
  std::string link_name(LinkIndex link) const;  // "npu 3 -> switch 17"

  std::int32_t coordinate(NodeId npu, int level) const {
    return npu.value / stride_[level] % levels_[level].size;
  }
  std::int32_t stride(int level) const { return stride_[level]; }  // id distance of neighbours

  // Links crossed between two coordinates of one level (0 if equal), and their summed latency. A
  // ring goes the shorter way round, upwards when both are equally long. A level of a graph counts
  // as one link.
  std::int32_t hops(int level, std::int32_t from, std::int32_t to) const;
  Duration path_latency(int level, std::int32_t from, std::int32_t to) const {
    return levels_[level].latency * hops(level, from, to);
  }

  // Egress ports of one NPU at a level: links that can send at the same time. A switch level has 1,
  // a ring or mesh 2 (1 if its size is 2), a fully connected level size-1. An NPU has as many
  // ingress ports, and the ends of a mesh leave one unused. A level of a graph counts as one port.
  std::int32_t ports(int level) const;
  Bandwidth injection_bandwidth(int level) const;  // ports * bandwidth

  // The port through which an NPU at coordinate `from` sends to `to`: 0 is upwards on a ring or
  // mesh and the only one of a switch level; (to - from) mod size - 1 on a fully connected level.
  // REQUIRES: from != to.
  std::int32_t egress_port(int level, std::int32_t from, std::int32_t to) const;

  // Index into links() of that port's link, and of the link from the switch to an NPU.
  // REQUIRES: structural(); at the end of a mesh, a port that has a link.
  std::size_t egress_link(int level, NodeId npu, std::int32_t port) const {
    if (levels_[level].kind == LevelKind::mesh) return mesh_link(level, npu, port);
    return first_link_[level] + static_cast<std::size_t>(npu.value) * ports(level) + port;
  }
  // The switch of the NPU's group. REQUIRES: a switch level
  NodeId switch_of(int level, NodeId npu) const { return links_[egress_link(level, npu, 0)].to; }
  std::size_t switch_to_npu_link(int level, NodeId npu) const {  // REQUIRES: a switch level
    return first_link_[level] + static_cast<std::size_t>(npu_count_) + npu.value;
  }
  // Of a level of a graph in which every NPU has a link to each of its group: the least bandwidth
  // of these links. None for all other levels.
  std::optional<Bandwidth> direct_bandwidth(int level) const { return direct_[level]; }
  // The innermost level whose messages leave an NPU by the same links: of a graph several levels
  // may lie behind one NIC (network/topology/first_links.h). Levels that say the wires have links
  // each.
  int port_level(int level) const { return port_level_[static_cast<std::size_t>(level)]; }
  bool has_link(int level, NodeId npu, std::int32_t port) const {  // false at the end of a mesh
    if (levels_[level].kind != LevelKind::mesh || levels_[level].size == 2) return true;
    return coordinate(npu, level) != (port == 0 ? levels_[level].size - 1 : 0);
  }
  // The switches of a level follow each other, in the order of the first NPUs below them.
  // REQUIRES: structural(); a switch level.
  NodeId first_switch(int level) const { return first_switch_[level]; }

 private:
  void build_levels();
  void check_graph() const;
  void find_direct_levels();
  std::size_t mesh_link(int level, NodeId npu, std::int32_t port) const;
  void build_ring(int level);
  void build_mesh(int level);
  void build_fully_connected(int level);
  void build_switches(int level);

  std::vector<LevelSpec> levels_;
  std::vector<std::int32_t> stride_;
  std::int32_t npu_count_ = 0, node_count_ = 0;
  std::shared_ptr<const GraphSpec> graph_;
  std::vector<Link> links_;              // of a structural topology
  std::vector<std::size_t> first_link_;  // of each level
  std::vector<NodeId> first_switch_;     // of each level
  std::vector<std::optional<Bandwidth>> direct_;
  std::vector<int> port_level_;
};

inline std::int32_t Topology::hops(int level, std::int32_t from, std::int32_t to) const {
  if (from == to) return 0;
  const LevelSpec& spec = levels_[level];
  switch (spec.kind) {
    case LevelKind::fully_connected:
    case LevelKind::graph:
      return 1;
    case LevelKind::switched:
      return 2;
    case LevelKind::mesh:
      return to > from ? to - from : from - to;
    case LevelKind::ring:
      break;
  }
  const std::int32_t forward = to > from ? to - from : to - from + spec.size;
  return std::min(forward, spec.size - forward);
}

inline std::int32_t Topology::ports(int level) const {
  const LevelSpec& spec = levels_[level];
  switch (spec.kind) {
    case LevelKind::ring:
    case LevelKind::mesh:
      return spec.size == 2 ? 1 : 2;
    case LevelKind::fully_connected:
      return spec.size - 1;
    case LevelKind::switched:
    case LevelKind::graph:
      break;
  }
  return 1;
}

inline std::int32_t Topology::egress_port(int level, std::int32_t from, std::int32_t to) const {
  const LevelSpec& spec = levels_[level];
  const std::int32_t forward = to > from ? to - from : to - from + spec.size;
  switch (spec.kind) {
    case LevelKind::ring:
      return 2 * forward <= spec.size ? 0 : 1;
    case LevelKind::mesh:
      return to > from || spec.size == 2 ? 0 : 1;
    case LevelKind::fully_connected:
      return forward - 1;
    case LevelKind::switched:
    case LevelKind::graph:
      break;
  }
  return 0;
}

}  // namespace orrery
