// The steps of one micro-batch through a chunk of layers, written into the stage's program piece by
// piece, so that two passes can be done together: where one waits for its own exchanges the other
// goes on.
//
// With expert parallelism, passes take turns only where tokens travel to experts and back, as in
// DualPipe and Megatron-LM's combined 1f1b: what else is exchanged (tensor parallel, the counts of
// copies) is too short, and would leave these journeys with nothing beside them. Other models take
// turns at every wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "workload/model/transformer.h"
#include "workload/parallelism/data_exchange.h"
#include "workload/parallelism/operation_writer.h"
#include "workload/parallelism/pipeline_schedule.h"
#include "workload/parallelism/routed_work.h"
#include "workload/parallelism/stage_layout.h"

namespace orrery {

// The steps of a part, with a backward pass in one and in two.
struct StagePartSteps {
  PartSteps whole, split;
};

// When the weight gradient of the head is computed. Megatron-LM's defer_embedding_wgrad_compute
// puts it behind all backward passes, where the last stage of a pipeline has nothing to do.
enum class HeadGradient : std::uint8_t {
  with_pass,
  later,
  alone  // nothing but it: of a weight_gradient step
};

// What is written next belongs to this step; `layer` of the model, -1 = of none.
void set_place(OperationWriter& operations, const PipelineStep& step, std::int32_t layer = -1);

class PassStream {
 public:
  // The writers of a stage, with an exchange for each kind of parameters. All outlive the stream.
  struct Writers {
    std::vector<DataExchange>& exchanges;
    OperationWriter& operations;
    RoutedWork& routed;
    bool experts_travel;  // the stage's layers are trained with expert parallelism
  };

  // `steps` of each part of the chunk, in forward order. REQUIRES: all outlive the stream.
  PassStream(const PipelineStep& step, std::int32_t iteration, bool is_last_batch,
             const std::vector<StagePart>& parts, const std::vector<const StagePartSteps*>& steps,
             const Writers& writers, HeadGradient head = HeadGradient::with_pass);

  bool done() const { return part_ == parts_to_do(); }
  // Writes what comes before the next wait where passes take turns. If it stands before one, that
  // comes first. Nothing if it is done.
  void write_until_turn();
  // The first n-th of that: by the operations that it states, or up to the turn if that is before.
  // REQUIRES: n >= 1.
  void write_one_of(std::int32_t n);
  // How many waits come before it computes again: a journey in two legs is two.
  std::int32_t legs_ahead() const;

 private:
  bool is_turn(const PartStep& step) const;
  std::int64_t flops_until_turn() const;
  void write_until(std::int64_t flops);
  std::size_t parts_to_do() const { return head_ == HeadGradient::alone ? 1 : parts_.size(); }
  std::size_t place(std::size_t part) const {
    return is_forward() ? part : parts_.size() - 1 - part;
  }
  std::size_t place() const { return place(part_); }
  const StagePart& part() const { return parts_[place()]; }
  bool is_forward() const { return step_.kind == PipelineStep::Kind::forward; }
  const std::vector<PartStep>& steps(std::size_t part) const;
  void begin_part();
  void end_part();
  void write(const PartStep& step);
  OperationId exchange(const PartStep::Exchange& exchange);
  OperationId shift(const PartStep::Shift& shift);

  PipelineStep step_;
  std::int32_t iteration_;
  bool is_last_batch_;
  const std::vector<StagePart>& parts_;
  const std::vector<const StagePartSteps*>& steps_of_;
  Writers to_;
  HeadGradient head_;
  std::size_t part_ = 0, next_ = 0;                // part of the pass, step of the part
  bool begun_ = false;                             // the part
  bool at_turn_ = false;                           // it stands before one, and has stopped for it
  std::map<std::int32_t, OperationId> under_way_;  // exchanges of the part, by handle
};

}  // namespace orrery
