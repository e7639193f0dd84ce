// The operations of a rank and what each of them waits for: a directed graph without cycles, as an
// execution trace holds it. Immutable, so all ranks that do the same share one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "system/operation_source.h"

namespace orrery {

class Graph {
 public:
  struct Edge {
    std::int32_t before, after;  // ids
  };

  // Sends and receives name distances from the rank that runs the graph. REQUIRES: operation i has
  // id i, and none is a Wait; edges are between two of them, and have no cycle. An edge may be
  // there twice.
  Graph(std::vector<Operation> operations, std::span<const Edge> edges);

  std::span<const Operation> operations() const { return operations_; }
  // Ascending.
  std::span<const std::int32_t> followers(OperationId id) const {
    return std::span(followers_).subspan(first_[id], first_[id + 1] - first_[id]);
  }
  // Of each operation.
  std::span<const std::int32_t> predecessors() const { return predecessors_; }

  bool operator==(const Graph& other) const;
  // Equal graphs have equal ones.
  std::uint64_t digest() const { return digest_; }

 private:
  std::uint64_t make_digest() const;

  std::vector<Operation> operations_;
  std::vector<std::uint32_t> first_;     // row i of followers_ begins here
  std::vector<std::int32_t> followers_;  // of all operations, row by row
  std::vector<std::int32_t> predecessors_;
  std::uint64_t digest_;
};

// What is unlike in two graphs, as a clause: the first operation that differs.
std::string difference_of(const Graph& a, const Graph& b);

}  // namespace orrery
