// What the data-parallel ranks of a stage exchange, and when: written into its program before and
// after each exchange unit (stage_layout.h) of a pass.
//
//   gradients   all-reduced, or with sharding reduce-scattered over the shard group and, if the job
//               has several, the shares all-reduced over these; with each micro-batch or the last.
//               They go beside the backward pass, or, if they are not to overlap and are summed
//               over the micro-batches first, behind the last one of the stage. As FSDP does, zero3
//               has one reduce-scatter under way: the end of a unit waits for that of the unit
//               before. A shard group's sum goes on to the other groups at the end of the next
//               unit.
//   parameters  all-gathered over the shard group: at the end of the iteration (zero1, zero2), unit
//               by unit before the next iteration's first use (overlap_parameters), or before each
//               forward and backward pass that does not find them (zero3). `prefetch` units are
//               asked for ahead, within a pass. A forward pass waits for its first unit. The head,
//               the first unit of the backward pass, stays after its forward pass, as in FSDP.
//
// With overlap_parameters the first iteration gathers too, as if one had gone before: each shows
// the steady state.
//
// S. Rajbhandari et al., "ZeRO", SC'20. Y. Zhao et al., "PyTorch FSDP", VLDB 2023. Megatron-LM's
// DistributedOptimizer with overlap_param_gather.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/parallelism/operation_writer.h"
#include "workload/parallelism/stage_layout.h"

namespace orrery {

class DataExchange {
 public:
  // Exchanges the parameters of one kind. REQUIRES: all outlive this; the layout is of this kind.
  DataExchange(const TransformerWorkload& workload, const StageLayout& layout, Kept kept,
               OperationWriter& operations);

  void begin_iteration();

  // A pass over the parts of a chunk: forwards in their order, else backwards. Until the next one
  // over the same chunk every part is used once, in this order.
  void begin_pass(std::int32_t chunk, bool forwards);
  void before_part(std::int32_t chunk, std::size_t part, bool forwards);
  void after_part(std::int32_t chunk, std::size_t part, bool forwards, bool is_last_batch);
  // The gradients of a part are complete for this micro-batch.
  void gradients(std::int32_t chunk, std::size_t part, bool is_last_batch);

  // The gradients of a unit are complete only when release() says so.
  void hold(std::int32_t unit) { held_ = unit; }
  void release();

  // Before the optimizer's step: until all gradients are here.
  void finish_gradients();
  // After it.
  void gather_parameters();

  std::int64_t parameters_to_update() const;  // by this rank

 private:
  struct Share {  // reduce-scattered, not yet summed over the shard groups
    OperationId scattered;
    Bytes size;
    TensorPart part;
  };

  // Gathers of a pass, or of the iteration's beginning, in the order of use.
  struct Queue {
    std::vector<std::int32_t> wanted;
    std::size_t asked = 0;  // of these
    bool forwards = true;
  };

  bool exchanges() const { return shards_ * copies_ > 1; }
  Group shard_group() const { return kept_ == Kept::by_all ? Group::shard : Group::expert_data; }
  bool gathers_ahead() const;
  bool reduces_behind() const {  // all backward passes
    return !training_.overlap_gradients && training_.sharding != Sharding::zero3 &&
           training_.accumulates() == Accumulation::local;
  }
  Bytes gathered_element() const {
    return training_.fp8_parameters ? model_.operand() : model_.element;
  }
  std::string row_of(std::string_view what) const;
  void before_unit(std::int32_t unit);
  void after_unit(std::int32_t unit, bool is_last_batch);
  Queue& queue_of(std::int32_t unit) {
    return queues_[gathers_ahead() ? 0 : layout_.units[unit].chunk];
  }
  void gather_next(Queue& queue);
  void complete(std::int32_t unit);
  void reduce(const ExchangeUnit& unit);
  void sum_over_groups();
  void wait_for_reductions();

  const TransformerSpec& model_;
  const TransformerTraining& training_;
  const StageLayout& layout_;
  OperationWriter& operations_;
  Kept kept_;
  std::int32_t shards_, copies_;
  std::vector<Queue> queues_;                          // of the chunks
  std::vector<std::optional<OperationId>> under_way_;  // by unit
  std::vector<bool> here_;                             // by unit: all parameters are on the rank

  std::vector<std::int32_t> behind_;     // units to be reduced behind the backward passes
  std::vector<OperationId> reductions_;  // under way
  std::optional<Share> share_;
  std::optional<std::int32_t> held_;
};

}  // namespace orrery
