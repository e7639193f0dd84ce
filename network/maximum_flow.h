// Maximum flow between two nodes: E. Dinic, Soviet Math. Doklady 11, 1970.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery {

class MaximumFlow {
 public:
  explicit MaximumFlow(std::size_t nodes) : edges_of_(nodes) {}

  void add(std::size_t from, std::size_t to, std::int64_t capacity);
  // REQUIRES: asked once.
  std::int64_t maximum(std::size_t source, std::size_t sink);

 private:
  struct Edge {
    std::size_t to;
    std::int64_t left;
  };
  bool find_layers(std::size_t source, std::size_t sink);
  std::int64_t push(std::size_t node, std::size_t sink, std::int64_t most);

  std::vector<Edge> edges_;  // each followed by its reverse
  std::vector<std::vector<std::size_t>> edges_of_;
  std::vector<std::int32_t> layer_;
  std::vector<std::size_t> next_;
};

}  // namespace orrery
