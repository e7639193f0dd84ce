// Writes the program of one stage of a pipeline, which all ranks of the stage share.
//
// An iteration of a stage is its pipeline schedule (pipeline_schedule.h), each step a chunk of
// layers forwards or backwards for one micro-batch, with the activations and their gradients
// received before and sent after it; then weight gradients of the head that were put off, and the
// end of the iteration:
//   1. the last gradients of the data-parallel exchange (data_exchange.h)
//   2. sequence parallel: the gradients of the norms, summed over the tensor-parallel group; those
//   of
//      adapters' matrices that all its ranks have
//   3. tied embeddings: the gradients of the matrix, between the first and the last stage
//   4. the norm of all gradients, 4 B over all ranks: no stage goes on before all are here
//   5. the optimizer's step, bound by memory
//   6. sharded optimizer states: the parameters, gathered over the data-parallel group
// Parameters of experts are exchanged like the others, in buckets and over groups of their own.
// The order is that of Megatron-LM's finalize_model_grads() and its optimizers.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "workload/model/transformer.h"
#include "workload/parallelism/chunk_placement.h"
#include "workload/parallelism/data_exchange.h"
#include "workload/parallelism/operation_writer.h"
#include "workload/parallelism/pass_stream.h"
#include "workload/parallelism/pipeline_schedule.h"
#include "workload/parallelism/routed_work.h"
#include "workload/parallelism/stage_layout.h"
#include "workload/parallelism/transformer_ranks.h"

namespace orrery {

// What the ranks of a stage do in a part of the model that is recomputed, or is not.
TransformerShard shard_of(const TransformerTraining& training, bool recomputed);
StagePartSteps steps_of(TransformerPart part, bool recomputed, const TransformerWorkload& workload);
// Whether tensor-parallel ranks sum the gradients of what all of them have: each knows of the norms
// what its own tokens say (sequence parallel), of adapters what its part of the matrix says.
bool sums_replicated(const TransformerTraining& training, const StageLayout& layout);
// Activations of a micro-batch between two stages, of one rank.
Bytes boundary_of(const TransformerWorkload& workload);
// The step for what a rank keeps of the parameters of each kind.
Compute optimizer_step(const TransformerTraining& training,
                       const std::vector<DataExchange>& exchanges);

class StageWriter {
 public:
  // REQUIRES: all outlive the writer.
  StageWriter(const TransformerWorkload& workload, const Groups& groups, RoutedWork& routed,
              std::int32_t stage, Rows& rows, AskStop stop = {});

  void write_iteration(std::int32_t iteration);
  std::vector<Operation> take() { return operations_.take(); }
  // Operations that RoutedWork fills in.
  Program::Entries take_entries() { return operations_.take_entries(); }
  // Operations whose peers RingPlaces names.
  RingPlaces::Neighbours take_neighbours() { return operations_.take_neighbours(); }
  Program::Places take_places() { return operations_.take_places(); }

 private:
  using Kind = PipelineStep::Kind;
  using Place = ChunkPlacement::Place;

  bool has_ends() const { return stage_ == 0 || stage_ == training_.pipeline - 1; }
  Place here(const PipelineStep& step) const { return {stage_, step.chunk}; }

  void make_steps();
  void pass(const PipelineStep& step);
  void passes_together(const PipelineStep& one, const PipelineStep& other);
  PassStream stream(const PipelineStep& step, HeadGradient head = HeadGradient::with_pass);
  bool has_head(const PipelineStep& step) const {
    return placement_.part(here(step)) == placement_.parts() - 1;
  }
  bool defers(const PipelineStep& step) const;
  void write_deferred();
  void finish_iteration();
  void sum_replicated_gradients();
  void sum_gradient_norm();

  // Activations from the part of the model before, gradients from the one after; and on.
  void receive_for(const PipelineStep& step);
  void send_from(const PipelineStep& step);
  void finish_sends();
  Rank distance_to(const Place& place) const {
    return (place.stage - stage_) * ranks_.pipeline_stride;
  }
  std::int32_t row_of(const PipelineStep& step);

  const TransformerWorkload& workload_;
  const TransformerSpec& model_;
  const TransformerTraining& training_;
  TransformerRanks ranks_;
  ChunkPlacement placement_;
  std::int32_t stage_;
  std::map<std::tuple<TransformerPart, bool>, StagePartSteps> part_steps_;  // recomputed or not
  std::vector<std::vector<const StagePartSteps*>> steps_;                   // of each chunk's parts
  StageLayout layout_, expert_layout_;
  RoutedWork& routed_;
  std::int32_t iteration_ = 0;
  OperationWriter operations_;
  std::vector<DataExchange> exchanges_;  // of each kind of parameters that the stage has
  std::vector<OperationId> sends_;       // that the next pass waits for
  std::vector<PipelineStep> deferred_;   // backward passes that left out the head's weight gradient
};

}  // namespace orrery
