// What the nodes of a trace wait for, as edges between their places in the file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/chakra/rank_trace.h"
#include "workload/graph/graph.h"

namespace orrery::chakra {

enum class TraceDependencies : std::uint8_t { automatic, data, all };
std::string_view name_of(TraceDependencies dependencies);

struct Dependencies {
  std::vector<Graph::Edge> edges;
  // Of control dependencies that were left out: those that name their own node, those that name
  // none, and nodes that data and control dependencies together put into cycles.
  std::int64_t on_itself = 0, on_missing = 0, nodes_in_cycles = 0, cycles = 0;
  bool control_left_out = false;  // all of them
};

// Data dependencies always count. `all`: control dependencies too. `automatic`: these, if there are
// no cycles then; those on the node itself and on nodes that are not there are left out and
// counted. Throws ConfigError with file and node: of a dependency that counts and leads nowhere,
// and of a cycle.
Dependencies dependencies_of(const RankTrace& trace, TraceDependencies which);

// Sets of nodes that wait for each other, one set after the other: two nodes at least in each.
struct Cycles {
  std::vector<std::vector<std::int32_t>> sets;
};
Cycles cycles_in(std::size_t nodes, std::span<const Graph::Edge> edges);

// A way from a node of the set back to it, as the ids of at most 8 nodes: "17 -> 18 -> 17".
std::string path_text(const RankTrace& trace, std::span<const Graph::Edge> edges,
                      std::span<const std::int32_t> set);

}  // namespace orrery::chakra
