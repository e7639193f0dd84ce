// The closed-form estimate against the simulation: constant bandwidth, no latency, nothing but
// matrix products computed (bar A0-4: iteration within 2 %, components within 3 %).
#include <catch2/catch.hpp>

#include "simulation/simulate.h"

using namespace orrery;

namespace {

struct Shape {
  std::int32_t tensor, pipeline, data, micro_batches;
  Recompute recompute = Recompute::none;
};

// 8 layers of 2,048 on NPUs of 100 TFLOP/s behind one switch of 200 GB/s. Scores are 128/(12 x
// 2048), half a percent, of the products; there is no vocabulary to speak of.
Experiment plain(const Shape& shape) {
  Experiment experiment;
  experiment.topology.levels = {{"fabric", LevelKind::switched,
                                 shape.tensor * shape.pipeline * shape.data,
                                 gigabytes_per_second(200), Duration{}, Scope::scale_out}};
  experiment.system.injection_latency = experiment.system.local_injection_latency = Duration{};
  for (CollectiveSpec& collective : experiment.system.collectives) {
    collective.algorithms = {"ring"};
    collective.chunks = 1;
  }
  experiment.npu.peak = teraflops_per_second(100);
  TransformerWorkload workload;
  workload.model.layers = 8;
  workload.model.hidden = 2'048;
  workload.model.heads = 16;
  workload.model.vocabulary = 16;
  workload.model.sequence = 128;
  workload.model.element = Bytes{2};
  workload.model.tied_embeddings = false;
  workload.training.tensor = shape.tensor;
  workload.training.pipeline = shape.pipeline;
  workload.training.data = shape.data;
  workload.training.micro_batch = 2;
  workload.training.global_batch = 2 * shape.micro_batches * shape.data;
  workload.training.recompute = shape.recompute;
  workload.training.overlap_gradients = false;
  experiment.workload.what = workload;
  return experiment;
}

struct Both {
  double estimated = 0, simulated = 0, hidden = 0;  // seconds
};

Both part(const RunResult& result, const std::string& name) {
  for (const EstimateRow& row : result.training->estimate)
    if (row.part == name)
      return {static_cast<double>(row.estimated.value) * 1e-12,
              static_cast<double>(row.simulated.value) * 1e-12,
              static_cast<double>(row.hidden.value) * 1e-12};
  return {};
}

}  // namespace

// What the formula does not say, on paper:
//   TP      of a layer's 4 all-reduces (6 with recomputation) the 2 of the backward pass go beside
//           weight gradients, which take longer: hidden, in every pass. And the ends of the model
//           have one each: stage 0 has that of the embedding, and that of the head too if p = 1
//   PP      the formula has 2 m transfers. Stage 0 waits for m sends; of the m gradients only the
//           last p-1 find it waiting, the others come while it sends and computes
TEST_CASE("iteration in closed form and simulated, over a grid of (t, p, d, m)") {
  const Shape shape =
      GENERATE(Shape{1, 1, 8, 4}, Shape{2, 1, 4, 4}, Shape{4, 1, 2, 8}, Shape{1, 4, 2, 8},
               Shape{2, 4, 1, 8}, Shape{2, 2, 2, 4}, Shape{2, 2, 2, 16}, Shape{4, 2, 2, 8},
               Shape{2, 4, 2, 16}, Shape{2, 4, 2, 8, Recompute::full});
  const auto [t, p, d, m, recompute] = shape;
  CAPTURE(t, p, d, m);
  const RunResult result = simulate(plain(shape));
  REQUIRE(result.training);

  const Both compute = part(result, "compute"), tensor = part(result, "TP");
  CHECK(compute.simulated == Approx(compute.estimated).epsilon(0.03));

  const double all_reduces = (recompute == Recompute::full ? 6 : 4) * 8.0 / p;
  const double of_ends = p == 1 ? 2 : 1, hidden = tensor.estimated * (2 * 8.0 / p) / all_reduces;
  if (t > 1) {
    CHECK(tensor.simulated + tensor.hidden ==
          Approx(tensor.estimated * (1 + of_ends / all_reduces)).epsilon(0.03));
    CHECK(tensor.hidden == Approx(hidden).epsilon(0.03));
  }

  const double stages = p - 1, after_first = stages / m;
  const Both pipeline = part(result, "PP"), bubble = part(result, "bubble");
  CHECK(pipeline.simulated == Approx(pipeline.estimated * (m + stages) / (2 * m)).epsilon(0.03));
  CHECK(bubble.simulated == Approx(bubble.estimated - after_first * hidden).epsilon(0.03));

  const Both data = part(result, "DP"), iteration = part(result, "iteration");
  CHECK(data.simulated == Approx(data.estimated).epsilon(0.03));
  CHECK(iteration.simulated ==
        Approx(iteration.estimated - hidden * (1 + after_first)).epsilon(0.02));
}

TEST_CASE("where the formula does not apply the report says why") {
  Experiment experiment = plain({1, 4, 1, 8});
  auto& training = std::get<TransformerWorkload>(experiment.workload.what).training;
  training.schedule = PipelineSchedule::zb_h1;
  const RunResult result = simulate(experiment);
  REQUIRE(result.training);
  CHECK(result.training->estimate.empty());
  CHECK_THAT(result.training->no_estimate, Catch::Contains("bubble"));
}
