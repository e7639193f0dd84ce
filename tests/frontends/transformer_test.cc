// Training loops of transformers, simulated whole.
#include <catch2/catch.hpp>

#include "frontends/simulate.h"

using namespace orrery;

namespace {

// A network that costs nothing, and layers of equal work: no vocabulary to speak of, and sequences
// so short that the attention scores are nothing beside the matrices.
Experiment pipeline(PipelineSchedule schedule, int stages, int chunks, int layers, int batch) {
  Experiment experiment;
  experiment.topology.levels = {{"fabric", LevelKind::switched, stages,
                                 Bandwidth{std::int64_t{1} << 60}, Duration{}, Scope::scale_out}};
  experiment.system.injection_latency = experiment.system.local_injection_latency = Duration{};
  experiment.npu.peak = teraflops_per_second(1);
  TransformerWorkload workload;
  workload.model.layers = layers;
  workload.model.hidden = 4'096;
  workload.model.heads = 32;
  workload.model.vocabulary = 1;
  workload.model.sequence = 16;
  workload.model.element = Bytes{2};
  workload.training.pipeline = stages;
  workload.training.chunks = chunks;
  workload.training.schedule = schedule;
  workload.training.global_batch = batch;
  experiment.workload.what = workload;
  return experiment;
}

// What part of the iteration a stage does not compute.
double bubble_of(const Experiment& experiment) {
  const RunResult result = simulate(experiment);
  return 1 - static_cast<double>(result.compute.value) / static_cast<double>(result.finish.value);
}

}  // namespace

// (p-1)/(m+p-1) for gpipe and 1f1b: 3/11. Interleaved over v = 2 chunks, of two layers each:
// 3/(2 x 8 + 3) = 3/19. Zero bubble, weight gradient as long as forward and input gradient:
// (p-1) x 1 of 3m + (p-1), 3/27.
TEST_CASE("bubbles of pipelines without network cost, p = 4, m = 8") {
  using enum PipelineSchedule;
  CHECK(bubble_of(pipeline(one_forward_one_backward, 4, 1, 8, 8)) ==
        Approx(3.0 / 11).epsilon(0.001));
  CHECK(bubble_of(pipeline(gpipe, 4, 1, 8, 8)) == Approx(3.0 / 11).epsilon(0.001));
  CHECK(bubble_of(pipeline(interleaved, 4, 2, 16, 8)) == Approx(3.0 / 19).epsilon(0.001));
  CHECK(bubble_of(pipeline(zb_h1, 4, 1, 8, 8)) == Approx(3.0 / 27).epsilon(0.005));
}

// The bytes of pipeline, tensor and data parallelism in closed form. t = 2, p = 2, d = 2; b = 1,
// m = 2, s = 64, h = 128, 4 layers of 12 h^2 + 2h parameters, V = 256.
TEST_CASE("bytes on the wire of tensor, data and pipeline parallelism") {
  Experiment experiment;
  experiment.topology.levels = {
      {"node", LevelKind::switched, 2, gigabytes_per_second(100), nanoseconds(500), Scope::local},
      {"fabric", LevelKind::switched, 4, gigabytes_per_second(10), nanoseconds(500),
       Scope::scale_out}};
  experiment.npu.peak = teraflops_per_second(1);
  TransformerWorkload workload;
  workload.model.layers = 4;
  workload.model.hidden = 128;
  workload.model.heads = 4;
  workload.model.vocabulary = 256;
  workload.model.sequence = 64;
  workload.model.element = Bytes{2};
  workload.model.tied_embeddings = false;
  workload.training.tensor = workload.training.pipeline = workload.training.data = 2;
  workload.training.global_batch = 4;
  experiment.workload.what = workload;
  const RunResult result = simulate(experiment);

  const auto bytes_of = [&](const std::string& level, const std::string& collective) {
    std::int64_t sum = 0;
    for (const LevelRow& row : result.levels)
      if (row.name == level && row.collective == collective) sum += row.bytes.value;
    return sum;
  };
  // Point to point: m micro-batches of s x h x 2 B each way, for each of t x d = 4 pipelines.
  CHECK(bytes_of("fabric", "point_to_point") == 4 * 2 * 2 * (64 * 128 * 2));
  // Tensor parallel: a ring all-reduce of Y sends 2(t-1)/t Y a rank, Y = 16,384 B here. Two forward
  // and two backward in each of 2 layers per stage, on all 8 ranks, for 2 micro-batches; one more
  // of the embedding (first stage, 4 ranks), one of the head's input gradient, and three of 4 B a
  // token in the loss (last stage).
  const std::int64_t y = 64 * 128 * 2;
  const std::int64_t layers = 8 * 2 * 2 * 4 * y, embedding = 4 * 2 * y;
  const std::int64_t head = 4 * 2 * (y + 3 * 64 * 4);
  // The norm of the gradients: 4 B over all, of which the node carries a ring's 2(t-1)/t.
  const std::int64_t norm = 8 * 4;
  CHECK(bytes_of("node", "all_reduce") == layers + embedding + head + norm);
  // Data parallel: 2(d-1)/d of a stage's gradients, 4 B each, on its 4 ranks; and the norm of the
  // gradients over the other 4 nodes, 2 x 3/4 of 4 B.
  const std::int64_t layer = 12 * 128 * 128 / 2 + 2 * 128;
  const std::int64_t stages = 2 * layer + 256 * 128 / 2 + 2 * layer + 256 * 128 / 2 + 128;
  CHECK(bytes_of("fabric", "all_reduce") == 4 * (stages * 4) + 8 * 6);
}

// Parts of the iteration add up, and tensor parallel traffic is called that.
TEST_CASE("exposed time is told apart by kind of parallelism") {
  Experiment experiment = pipeline(PipelineSchedule::one_forward_one_backward, 4, 1, 8, 8);
  const RunResult result = simulate(experiment);
  Duration sum;
  std::string kinds;
  for (const ExposedBy& row : result.exposed_by) {
    sum += row.exposed;
    kinds += row.kind + ' ';
  }
  CHECK(sum == result.exposed);
  CHECK_THAT(kinds, Catch::Contains("PP "));
}
