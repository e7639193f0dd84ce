// Writes the program of one stage of a pipeline, which all ranks of the stage share.
//
// An iteration of a stage is its pipeline schedule (pipeline_schedule.h), each step a chunk of
// layers forwards or backwards for one micro-batch, with the activations and their gradients
// received before and sent after it; then the end of the iteration:
//   1. the last gradient buckets of the data-parallel exchange
//   2. sequence parallel: the gradients of the norms, summed over the tensor-parallel group
//   3. tied embeddings: the gradients of the matrix, between the first and the last stage
//   4. the norm of all gradients, 4 B over all ranks: no stage goes on before all are here
//   5. the optimizer's step, bound by memory
//   6. a distributed optimizer's parameters, gathered over the data-parallel group
// The order is that of Megatron-LM's finalize_model_grads() and its optimizers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "workload/model/transformer.h"
#include "workload/parallelism/pipeline_schedule.h"
#include "workload/parallelism/transformer_groups.h"
#include "workload/parallelism/transformer_ranks.h"

namespace orrery {

// Rows of the layer table: what is done, in which pass; layers and micro-batches are summed.
class Rows {
 public:
  std::int32_t label(std::string_view name, Pass pass, std::string_view traffic,
                     std::int32_t iteration) {
    const auto next = static_cast<std::int32_t>(labels_.size());
    const auto [found, inserted] = index_.try_emplace({std::string(name), pass, iteration}, next);
    if (inserted) labels_.push_back({std::string(name), iteration, pass, std::string(traffic)});
    return found->second;
  }
  std::vector<Label> take() { return std::move(labels_); }

 private:
  std::map<std::tuple<std::string, Pass, std::int32_t>, std::int32_t> index_;
  std::vector<Label> labels_;
};

class StageWriter {
 public:
  StageWriter(const TransformerWorkload& workload, const Groups& groups, std::int32_t stage,
              Rows& rows);

  void write_iteration(std::int32_t iteration);
  std::vector<Operation> take() { return std::move(operations_); }

 private:
  using Kind = PipelineStep::Kind;
  using Work = decltype(Operation::what);
  enum class Direction : std::int32_t { back = -1, onwards = 1 };  // in stages
  // A part of the model as this stage holds it.
  struct Part {
    TransformerPart part;
    std::int64_t bucket = 0;  // elements of the gradient bucket that its backward pass closes
  };

  bool is_first(const PipelineStep& step) const { return stage_ == 0 && step.chunk == 0; }
  bool is_last(const PipelineStep& step) const {
    return stage_ == training_.pipeline - 1 && step.chunk == training_.chunks - 1;
  }
  bool has_ends() const { return stage_ == 0 || stage_ == training_.pipeline - 1; }

  void make_chunks();
  void forward(const PipelineStep& step);
  void backward(const PipelineStep& step);
  void weight_gradient(const PipelineStep& step);
  void finish_iteration();
  void sum_gradients_of_norms();

  OperationId append(std::int32_t label, Work what);
  OperationId collective(std::string_view row, std::string_view traffic, Group group,
                         Collective kind, Bytes size);
  void wait(OperationId operation) { append(operations_[operation].label, Wait{operation}); }
  void steps(TransformerPart part, const std::vector<PartStep>& steps);
  void exchange_bucket(const Part& part, const PipelineStep& step);
  void send(Direction direction);
  void receive(Direction direction);
  Bytes boundary() const;  // activations of a micro-batch between two stages, of one rank
  Rank distance_to_stage(std::int32_t stage) const;
  std::int32_t row_of(Direction direction);
  std::int32_t row(std::string_view name, Pass pass, std::string_view traffic = "") {
    return rows_.label(name, pass, traffic, iteration_);
  }

  const TransformerSpec& model_;
  const TransformerTraining& training_;
  TransformerRanks ranks_;
  const Groups& groups_;
  std::int32_t stage_;
  Rows& rows_;
  std::int32_t iteration_ = 0;
  std::map<TransformerPart, PartSteps> part_steps_;
  std::vector<std::vector<Part>> chunks_;  // of this stage, in forward order
  std::int64_t parameters_ = 0, norms_ = 0;
  std::vector<OperationId> gradients_;  // exchanges under way
  std::vector<Operation> operations_;
};

}  // namespace orrery
