#include "workload/parallelism/pipeline_schedule.h"

#include <algorithm>

#include "core/base/check.h"
#include "workload/parallelism/two_way_schedules.h"

namespace orrery {

namespace {

using Kind = PipelineStep::Kind;

std::vector<PipelineStep> all_forwards_first(const PipelineShape& shape) {
  std::vector<PipelineStep> steps;
  for (const Kind kind : {Kind::forward, Kind::backward})
    for (std::int32_t i = 0; i < shape.micro_batches; ++i) steps.push_back({kind, i, 0});
  return steps;
}

// The k-th forward of a stage, and the k-th backward: micro-batches go in groups through one chunk
// after the other, the last group with what is left. With one chunk, micro-batch k.
class Turns {
 public:
  explicit Turns(const PipelineShape& shape)
      : shape_(shape), group_(shape.group > 0 ? shape.group : shape.stages) {}

  PipelineStep forward(std::int32_t k) const { return step(Kind::forward, k); }
  PipelineStep backward(std::int32_t k) const {
    PipelineStep turned = step(Kind::backward, k);
    turned.chunk = shape_.chunks - 1 - turned.chunk;
    return turned;
  }
  std::int32_t group() const { return group_; }

 private:
  PipelineStep step(Kind kind, std::int32_t k) const {
    if (shape_.chunks == 1) return {kind, k, 0};
    const std::int32_t first = k / (group_ * shape_.chunks) * group_;  // of the group
    const std::int32_t size = std::min(group_, shape_.micro_batches - first);
    const std::int32_t turn = k - first * shape_.chunks;
    return {kind, first + turn % size, turn / size};
  }

  PipelineShape shape_;
  std::int32_t group_;
};

// Some forwards to begin with, then one of each in turn, then the backwards that are left.
std::vector<PipelineStep> one_of_each(const PipelineShape& shape, std::int32_t warm_up) {
  const Turns turns{shape};
  const std::int32_t total = shape.micro_batches * shape.chunks;
  warm_up = std::min(warm_up + (shape.together ? 1 : 0), total);
  std::vector<PipelineStep> steps;
  for (std::int32_t k = 0; k < warm_up; ++k) steps.push_back(turns.forward(k));
  for (std::int32_t k = 0; k < total; ++k) {
    if (warm_up + k < total) {
      steps.push_back(turns.forward(warm_up + k));
      steps.back().with_next = shape.together;
    }
    steps.push_back(turns.backward(k));
  }
  return steps;
}

// `more` is 1 for zb-h1: 1f1b, with the weight gradients of stage s held back by s micro-batches:
// the later a stage, the more of them are left for the time in which the pipeline drains. As many
// micro-batches are in flight on every stage as on the first one of 1f1b. For zb-h2 it is 2: twice
// as many forwards before the first backward pass, and twice as many weight gradients held back.
std::vector<PipelineStep> weight_gradients_held_back(const PipelineShape& shape, std::int32_t stage,
                                                     std::int32_t more) {
  std::vector<PipelineStep> steps;
  const std::int32_t warm_up = more * (shape.stages - 1 - stage);
  std::int32_t backwards = 0, weight_gradients = 0;
  for (PipelineStep step : one_of_each(shape, warm_up)) {
    const bool is_forward = step.kind == Kind::forward;
    if (!is_forward) step.kind = Kind::input_gradient;
    steps.push_back(step);
    if (is_forward) continue;
    ++backwards;
    if (backwards > shape.micro_batches - warm_up || backwards > more * stage)
      steps.push_back({Kind::weight_gradient, weight_gradients++, 0});
  }
  while (weight_gradients < shape.micro_batches)
    steps.push_back({Kind::weight_gradient, weight_gradients++, 0});
  return steps;
}

}  // namespace

std::vector<PipelineStep> pipeline_steps(PipelineSchedule schedule, const PipelineShape& shape,
                                         std::int32_t stage) {
  const std::int32_t behind = shape.stages - 1 - stage;
  CHECK(behind >= 0 && stage >= 0, "stage {} of {}", stage, shape.stages);
  switch (schedule) {
    case PipelineSchedule::gpipe:
      return all_forwards_first(shape);
    case PipelineSchedule::one_forward_one_backward:
      return one_of_each(shape, behind);
    case PipelineSchedule::interleaved:
      return one_of_each(shape, 2 * behind + (shape.chunks - 1) * Turns(shape).group());
    case PipelineSchedule::zb_h1:
      return weight_gradients_held_back(shape, stage, 1);
    case PipelineSchedule::zb_h2:
      return weight_gradients_held_back(shape, stage, 2);
    case PipelineSchedule::zbv:
      return zbv_steps(shape, stage);
    case PipelineSchedule::dualpipe:
      return dualpipe_steps(shape, stage);
    case PipelineSchedule::dualpipe_v:
      return dualpipe_v_steps(shape, stage);
  }
  return {};
}

}  // namespace orrery
