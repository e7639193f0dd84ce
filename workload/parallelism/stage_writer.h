// Writes the program of one stage of a pipeline, which all ranks of the stage share.
//
// An iteration of a stage is its pipeline schedule (pipeline_schedule.h), each step a chunk of
// layers forwards or backwards for one micro-batch, with the activations and their gradients
// received before and sent after it; then the end of the iteration:
//   1. the last gradients of the data-parallel exchange (data_exchange.h)
//   2. sequence parallel: the gradients of the norms, summed over the tensor-parallel group
//   3. tied embeddings: the gradients of the matrix, between the first and the last stage
//   4. the norm of all gradients, 4 B over all ranks: no stage goes on before all are here
//   5. the optimizer's step, bound by memory
//   6. sharded optimizer states: the parameters, gathered over the data-parallel group
// Parameters of experts are exchanged like the others, in buckets and over groups of their own.
// The order is that of Megatron-LM's finalize_model_grads() and its optimizers.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "workload/model/transformer.h"
#include "workload/parallelism/data_exchange.h"
#include "workload/parallelism/operation_writer.h"
#include "workload/parallelism/pipeline_schedule.h"
#include "workload/parallelism/routed_work.h"
#include "workload/parallelism/stage_layout.h"
#include "workload/parallelism/transformer_ranks.h"

namespace orrery {

class StageWriter {
 public:
  // REQUIRES: all outlive the writer.
  StageWriter(const TransformerWorkload& workload, const Groups& groups, RoutedWork& routed,
              std::int32_t stage, Rows& rows);

  void write_iteration(std::int32_t iteration);
  std::vector<Operation> take() { return operations_.take(); }
  // Operations that RoutedWork fills in.
  Program::Entries take_entries() { return operations_.take_entries(); }

 private:
  using Kind = PipelineStep::Kind;
  enum class Direction : std::int32_t { back = -1, onwards = 1 };  // in stages

  bool is_first(const PipelineStep& step) const { return stage_ == 0 && step.chunk == 0; }
  bool is_last(const PipelineStep& step) const {
    return stage_ == training_.pipeline - 1 && step.chunk == training_.chunks - 1;
  }
  bool has_ends() const { return stage_ == 0 || stage_ == training_.pipeline - 1; }

  void forward(const PipelineStep& step);
  void backward(const PipelineStep& step);
  void weight_gradient(const PipelineStep& step);
  void finish_iteration();
  void sum_gradients_of_norms();

  using Handles = std::map<std::int32_t, OperationId>;  // of exchanges under way
  void steps(const PipelineStep& step, const StagePart& part, const std::vector<PartStep>& steps);
  OperationId exchange(const PartStep::Exchange& exchange);
  OperationId shift(const PartStep::Shift& shift);
  bool is_last_batch(const PipelineStep& step) const {
    return step.micro_batch == training_.micro_batches() - 1;
  }
  void send(Direction direction);
  void receive(Direction direction);
  Bytes boundary() const;  // activations of a micro-batch between two stages, of one rank
  Rank distance_to_stage(std::int32_t stage) const;
  std::int32_t row_of(Direction direction);

  const TransformerSpec& model_;
  const TransformerTraining& training_;
  TransformerRanks ranks_;
  std::int32_t stage_;
  std::map<TransformerPart, PartSteps> part_steps_;
  StageLayout layout_, expert_layout_;
  RoutedWork& routed_;
  std::int32_t iteration_ = 0;
  OperationWriter operations_;
  std::vector<DataExchange> exchanges_;  // of each kind of parameters that the model has
};

}  // namespace orrery
