// Hands out the operations of graphs: each as soon as all that it waits for is finished, the end of
// communication included. What becomes ready at once is handed out in the order of the ids.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "system/operation_source.h"
#include "workload/graph/graph.h"

namespace orrery {

class GraphSource final : public OperationSource {
 public:
  // Rank r runs graphs[graph_of_rank[r]]; ranks that run one graph share it. A rank costs a count
  // for each of its operations, from its start to its end.
  GraphSource(std::vector<std::shared_ptr<const Graph>> graphs,
              std::vector<std::int32_t> graph_of_rank);

  void start(Rank rank, std::vector<Operation>& ready) override;
  void finish(Rank rank, OperationId id, std::vector<Operation>& ready) override;
  std::int64_t operation_count(Rank rank) const override;
  KnownOperations known_operations(Rank rank) const override;
  bool names_distances(Rank) const override { return true; }
  std::string why_unlike(Rank a, Rank b) const override;
  std::optional<Operation> find(Rank rank, OperationId id) const override;

 private:
  struct State {
    std::vector<std::int32_t> open;  // predecessors of each operation that are not finished
    std::int32_t unfinished = 0;
  };
  const Graph& graph_of(Rank rank) const { return *graphs_[graph_of_rank_[rank]]; }
  Operation operation_of(Rank rank, OperationId id) const;

  std::vector<std::shared_ptr<const Graph>> graphs_;
  std::vector<std::int32_t> graph_of_rank_;
  std::vector<State> states_;
};

}  // namespace orrery
