#include "workload/parallelism/pipeline_schedule.h"

#include <algorithm>

#include "core/base/check.h"

namespace orrery {

namespace {

using Kind = PipelineStep::Kind;

std::vector<PipelineStep> all_forwards_first(const PipelineShape& shape) {
  std::vector<PipelineStep> steps;
  for (const Kind kind : {Kind::forward, Kind::backward})
    for (std::int32_t i = 0; i < shape.micro_batches; ++i) steps.push_back({kind, i, 0});
  return steps;
}

// The k-th forward of a stage, and the k-th backward: micro-batches go in groups of p through one
// chunk after the other. With one chunk, micro-batch k.
struct Turns {
  PipelineShape shape;

  PipelineStep forward(std::int32_t k) const { return {Kind::forward, micro_batch(k), chunk(k)}; }
  PipelineStep backward(std::int32_t k) const {
    return {Kind::backward, micro_batch(k), shape.chunks - 1 - chunk(k)};
  }

 private:
  std::int32_t chunk(std::int32_t k) const {
    return shape.chunks == 1 ? 0 : k % (shape.stages * shape.chunks) / shape.stages;
  }
  std::int32_t micro_batch(std::int32_t k) const {
    if (shape.chunks == 1) return k;
    return k / (shape.stages * shape.chunks) * shape.stages + k % shape.stages;
  }
};

// Some forwards to begin with, then one of each in turn, then the backwards that are left.
std::vector<PipelineStep> one_of_each(const PipelineShape& shape, std::int32_t warm_up) {
  const Turns turns{shape};
  const std::int32_t total = shape.micro_batches * shape.chunks;
  warm_up = std::min(warm_up, total);
  std::vector<PipelineStep> steps;
  for (std::int32_t k = 0; k < warm_up; ++k) steps.push_back(turns.forward(k));
  for (std::int32_t k = 0; k < total; ++k) {
    if (warm_up + k < total) steps.push_back(turns.forward(warm_up + k));
    steps.push_back(turns.backward(k));
  }
  return steps;
}

// 1f1b, with the weight gradients of stage s held back by s micro-batches: the later a stage, the
// more of them are left for the time in which the pipeline drains. As many micro-batches are in
// flight on every stage as on the first one of 1f1b.
std::vector<PipelineStep> weight_gradients_held_back(const PipelineShape& shape,
                                                     std::int32_t stage) {
  std::vector<PipelineStep> steps;
  std::int32_t backwards = 0, weight_gradients = 0;
  for (const PipelineStep& step : one_of_each(shape, shape.stages - 1 - stage)) {
    steps.push_back(step);
    if (step.kind == Kind::forward) continue;
    ++backwards;
    const std::int32_t drained = shape.micro_batches - (shape.stages - 1 - stage);
    if (backwards > drained || backwards > stage)
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
  CHECK(behind >= 0 && (shape.chunks == 1 || schedule == PipelineSchedule::interleaved),
        "stage {} of {}, {} chunks", stage, shape.stages, shape.chunks);
  switch (schedule) {
    case PipelineSchedule::gpipe:
      return all_forwards_first(shape);
    case PipelineSchedule::one_forward_one_backward:
      return one_of_each(shape, behind);
    case PipelineSchedule::interleaved:
      CHECK(shape.micro_batches % shape.stages == 0, "{} micro-batches for {} stages",
            shape.micro_batches, shape.stages);
      return one_of_each(shape, 2 * behind + (shape.chunks - 1) * shape.stages);
    case PipelineSchedule::zb_h1:
      return weight_gradients_held_back(shape, stage);
  }
  return {};
}

}  // namespace orrery
