// The operations of a rank and what each of them waits for: a directed graph without cycles, as an
// execution trace holds it. Immutable once ranks run it, so all ranks that do the same share one.
// About 48 bytes for an operation with two predecessors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "system/known_operations.h"
#include "workload/graph/packed_operation.h"

namespace orrery {

class Graph final : public OperationStore {
 public:
  struct Edge {
    std::int32_t before, after;  // ids
  };
  // What each operation waits for: operation i for before[first[i]] to before[first[i + 1] - 1].
  struct Predecessors {
    std::vector<std::uint32_t> first = {0};
    std::vector<std::int32_t> before = {};
  };

  // Sends and receives name distances from the rank that runs the graph. REQUIRES: operation i has
  // id i, and none is a Wait; edges are between two of them, and have no cycle. An edge may be
  // there twice.
  Graph(const std::vector<Operation>& operations, std::span<const Edge> edges);
  // Operation i is the i-th.
  Graph(std::vector<PackedOperation> operations, PackedOperation::Others others,
        const Predecessors& predecessors);

  std::size_t size() const override { return operations_.size(); }
  // REQUIRES: below size().
  Operation operation(std::size_t id) const override;
  KnownOperations operations() const { return KnownOperations(*this); }
  // Ascending.
  std::span<const std::int32_t> followers(OperationId id) const {
    return std::span(followers_).subspan(first_[id], first_[id + 1] - first_[id]);
  }
  // How many, of each operation.
  std::span<const std::int32_t> predecessors() const { return predecessors_; }

  // Before ranks run it: lets change(packed) give each operation another label, lane, communicator.
  template <class Change>
  void change_each(Change change) {
    for (PackedOperation& operation : operations_) change(operation);
    digest_ = make_digest();
  }

  bool operator==(const Graph& other) const;
  // Equal graphs have equal ones.
  std::uint64_t digest() const { return digest_; }
  std::size_t bytes_of_memory() const;

 private:
  void connect(const Predecessors& predecessors);
  std::uint64_t make_digest() const;

  std::vector<PackedOperation> operations_;
  PackedOperation::Others others_;
  std::vector<std::uint32_t> first_;     // row i of followers_ begins here
  std::vector<std::int32_t> followers_;  // of all operations, row by row
  std::vector<std::int32_t> predecessors_;
  std::uint64_t digest_ = 0;
};

// What is unlike in two graphs, as a clause: the first operation that differs.
std::string difference_of(const Graph& a, const Graph& b);

}  // namespace orrery
