#include "workload/graph/graph_source.h"

#include <utility>

#include "core/base/check.h"

namespace orrery {

GraphSource::GraphSource(std::vector<std::shared_ptr<const Graph>> graphs,
                         std::vector<std::int32_t> graph_of_rank)
    : graphs_(std::move(graphs)),
      graph_of_rank_(std::move(graph_of_rank)),
      states_(graph_of_rank_.size()) {
  const auto count = static_cast<std::int32_t>(graphs_.size());
  for (const std::int32_t index : graph_of_rank_)
    CHECK(index >= 0 && index < count, "there is no graph {} among {}", index, count);
}

Operation GraphSource::operation_of(Rank rank, OperationId id) const {
  Operation operation = graph_of(rank).operation(id);
  if (auto* send = std::get_if<SendCall>(&operation.what)) send->to += rank;
  if (auto* receive = std::get_if<ReceiveCall>(&operation.what)) receive->from += rank;
  return operation;
}

void GraphSource::start(Rank rank, std::vector<Operation>& ready) {
  const Graph& graph = graph_of(rank);
  State& state = states_[rank];
  state.open.assign(graph.predecessors().begin(), graph.predecessors().end());
  state.unfinished = static_cast<std::int32_t>(state.open.size());
  for (std::int32_t id = 0; id < state.unfinished; ++id)
    if (state.open[id] == 0) ready.push_back(operation_of(rank, id));
}

void GraphSource::finish(Rank rank, OperationId id, std::vector<Operation>& ready) {
  State& state = states_[rank];
  for (const std::int32_t follower : graph_of(rank).followers(id))
    if (--state.open[follower] == 0) ready.push_back(operation_of(rank, follower));
  if (--state.unfinished == 0) state.open = {};
}

std::int64_t GraphSource::operation_count(Rank rank) const {
  return static_cast<std::int64_t>(graph_of(rank).size());
}

KnownOperations GraphSource::known_operations(Rank rank) const {
  return graph_of(rank).operations();
}

std::string GraphSource::why_unlike(Rank a, Rank b) const {
  return difference_of(graph_of(a), graph_of(b));
}

std::optional<Operation> GraphSource::find(Rank rank, OperationId id) const {
  return operation_of(rank, id);
}

}  // namespace orrery
