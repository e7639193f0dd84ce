// What the nodes of a trace wait for: by the ids of their file while it is read, then as rows of
// places in it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/chakra/node_places.h"
#include "workload/graph/graph.h"

namespace orrery::chakra {

enum class TraceDependencies : std::uint8_t { automatic, data, all };
std::string_view name_of(TraceDependencies dependencies);

// Rows of ids, four bytes each where they are near each other.
class IdRows {
 public:
  void add_row(std::span<const std::uint64_t> ids);
  std::size_t rows() const { return first_.size() - 1; }
  std::size_t size() const { return first_.back(); }
  std::span<const std::uint32_t> firsts() const { return first_; }
  std::uint64_t id_at(std::size_t index) const {
    return far_.empty() ? base_ + static_cast<std::uint64_t>(std::int64_t{near_[index]})
                        : far_[index];
  }
  // Gives each id the place that place_of(row, id) says; those with a place below 0 are left out.
  Graph::Predecessors taken(
      const std::function<std::int32_t(std::int32_t, std::uint64_t)>& place_of);

 private:
  std::vector<std::uint32_t> first_ = {0};
  std::vector<std::int32_t> near_;  // distances from base_
  std::vector<std::uint64_t> far_;  // of all, if one is too far
  std::uint64_t base_ = 0;          // the first id
};

// Of control dependencies that were left out: those that name their own node, those that name
// none, and nodes that data and control dependencies together put into cycles.
struct LeftOut {
  std::int64_t on_itself = 0, on_missing = 0, nodes_in_cycles = 0, cycles = 0;
};

// Ends the reading of a file with a message about the node at a place.
using RefuseNode =
    std::function<void(std::int32_t place, const std::string& what, const std::string& remedy)>;

// Data dependencies always count. `all`: control dependencies too. `automatic`: these, if there are
// no cycles then; those on the node itself and on nodes that are not there are left out and
// counted. Refuses a dependency that counts and leads nowhere, and a cycle.
Graph::Predecessors resolved(IdRows data, IdRows control, const NodePlaces& places,
                             TraceDependencies which, LeftOut& left_out, const RefuseNode& refuse);

// Adds to each row the node before it in its stream; -1 = none. Empty = there are no streams.
// Refuses an order that contradicts the rows.
void add_streams(Graph::Predecessors& rows, std::span<const std::int32_t> before,
                 const NodePlaces& places, const RefuseNode& refuse);

// Sets of nodes that wait for each other, one set after the other: two nodes at least in each.
std::vector<std::vector<std::int32_t>> cycles_in(const Graph::Predecessors& rows);

}  // namespace orrery::chakra
