// The steps of one micro-batch through a chunk of layers, written into the stage's program piece by
// piece, so that two passes can be done together (turns.h).
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
#include "workload/parallelism/turns.h"

namespace orrery {

// The steps of a part, with a backward pass in one and in two.
struct StagePartSteps {
  PartSteps whole, split;

  const std::vector<PartStep>& of(PipelineStep::Kind kind) const;
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

class PassStream final : public PassInTurns {
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

 private:
  std::size_t parts() const override { return head_ == HeadGradient::alone ? 1 : parts_.size(); }
  const std::vector<PartStep>& steps(std::size_t part) const override;
  void begin_part(std::size_t part) override;
  void write(std::size_t part, const PartStep& step) override;
  void end_part(std::size_t part) override;

  std::size_t place(std::size_t part) const {
    return is_forward() ? part : parts_.size() - 1 - part;
  }
  const StagePart& part(std::size_t part) const { return parts_[place(part)]; }
  bool is_forward() const { return step_.kind == PipelineStep::Kind::forward; }
  void set_place(std::size_t part);
  OperationId exchange(const PartStep::Exchange& exchange);
  OperationId shift(const PartStep::Shift& shift);

  PipelineStep step_;
  std::int32_t iteration_;
  bool is_last_batch_;
  const std::vector<StagePart>& parts_;
  const std::vector<const StagePartSteps*>& steps_of_;
  Writers to_;
  HeadGradient head_;
  std::map<std::int32_t, OperationId> under_way_;  // exchanges of the part, by handle
};

}  // namespace orrery
