// What sharding moves and what it hides, simulated whole.
#include <catch2/catch.hpp>

#include "simulation/simulate.h"

using namespace orrery;

namespace {

// Two nodes of two; 8 layers of h = 256, all sizes divisible by the ranks.
Experiment two_nodes(Sharding sharding, std::int64_t batch) {
  Experiment experiment;
  experiment.topology.levels = {
      {"node", LevelKind::switched, 2, gigabytes_per_second(100), nanoseconds(500), Scope::local},
      {"fabric", LevelKind::switched, 2, gigabytes_per_second(10), nanoseconds(500),
       Scope::scale_out}};
  experiment.npu.peak = teraflops_per_second(10);
  TransformerWorkload workload;
  workload.model.layers = 8;
  workload.model.hidden = 256;
  workload.model.heads = 4;
  workload.model.vocabulary = 512;
  workload.model.sequence = 512;
  workload.model.tied_embeddings = false;
  workload.model.element = workload.model.gradient_element = Bytes{2};
  workload.training.data = 4;
  workload.training.global_batch = batch;
  workload.training.sharding = sharding;
  experiment.workload.what = workload;
  return experiment;
}

TransformerTraining& sharded_training(Experiment& experiment) {
  return std::get<TransformerWorkload>(experiment.workload.what).training;
}

std::int64_t bytes_on(const RunResult& result, const std::string& level) {
  std::int64_t sum = 0;
  for (const LevelRow& row : result.levels)
    if (row.name == level && (row.collective == "all_gather" || row.collective == "reduce_scatter"))
      sum += row.bytes.narrow().value;
  return sum;
}

}  // namespace

// Elements of 2 B: N = 8 (12 x 256^2 + 512) + 2 x 512 x 256 + 256, of which the head has a matrix
// and a norm.
constexpr std::int64_t head_bytes = 2 * (512 * 256 + 256);
constexpr std::int64_t all_bytes = 2 * (8 * (12 * 256 * 256 + 512) + 512 * 256) + head_bytes;

// The optimizer's states and gradients shared: one reduce-scatter and one all-gather of N. The
// parameters too: two all-gathers, of the head one, and one reduce-scatter. With m micro-batches
// (m + 1) N against m (3 N - H).
TEST_CASE("zero3 : zero2 bytes on the wire are m (3 N - H) : (m + 1) N with m micro-batches") {
  for (const std::int64_t m : {1, 4}) {
    const RunResult two = simulate(two_nodes(Sharding::zero2, 4 * m));
    const RunResult three = simulate(two_nodes(Sharding::zero3, 4 * m));
    for (const char* level : {"node", "fabric"}) {
      CAPTURE(m, level);
      REQUIRE(bytes_on(two, level) > 0);
      CHECK(bytes_on(three, level) * (m + 1) * all_bytes ==
            bytes_on(two, level) * m * (3 * all_bytes - head_bytes));
    }
  }
}

// With 16,384 words the embedding and the head are 8.4 MB of gradients each, a layer 1.6 MB. The
// row of the label has the time, the bytes and the bound of its largest bucket: the mean of all
// would be a third of the bound.
TEST_CASE("the row of gradients in buckets is that of the largest") {
  Experiment experiment = two_nodes(Sharding::zero1, 4);
  std::get<TransformerWorkload>(experiment.workload.what).model.vocabulary = 16'384;
  sharded_training(experiment).bucket = Bytes{1'000'000};
  int buckets = 0;
  for (const LayerRow& layer : simulate(experiment).layers) {
    CAPTURE(layer.name, layer.collective, layer.bytes.value);
    CHECK(layer.raw >= layer.raw_bound);
    buckets += layer.collective == "reduce_scatter" && layer.raw_bound > Duration{};
  }
  CHECK(buckets > 0);
}

// Gradients of 2 B scattered with one micro-batch, N, and parameters of 1 B instead of 2 gathered:
// 3/4 of the bytes of zero2. zero3 gathers 2 N - H: (2 N - H)/2 + N instead of 3 N - H.
TEST_CASE("parameters that are gathered in 8 bits") {
  const auto part = [](Sharding sharding) {
    Experiment experiment = two_nodes(sharding, 4);
    const auto plain = static_cast<double>(bytes_on(simulate(experiment), "fabric"));
    std::get<TransformerWorkload>(experiment.workload.what).model.eight_bit_products = true;
    CHECK(static_cast<double>(bytes_on(simulate(experiment), "fabric")) == plain);
    sharded_training(experiment).fp8_parameters = true;
    return static_cast<double>(bytes_on(simulate(experiment), "fabric")) / plain;
  };
  CHECK(part(Sharding::zero2) == Approx(0.75));
  constexpr auto n = static_cast<double>(all_bytes), h = static_cast<double>(head_bytes);
  CHECK(part(Sharding::zero3) == Approx(((2 * n - h) / 2 + n) / (3 * n - h)));
}

// Shared inside a node of ds = 2 ranks, (ds-1)/ds (3 N - H) = (3 N - H)/2 a rank stay there. Of the
// half that a rank is left with, an all-reduce over the two nodes sends 2 (1/2) = one of it.
TEST_CASE("hybrid sharding keeps gathers inside the node") {
  Experiment experiment = two_nodes(Sharding::zero3, 4);
  sharded_training(experiment).shard_group = 2;
  const RunResult result = simulate(experiment);
  CHECK(bytes_on(result, "node") == 4 * (3 * all_bytes - head_bytes) / 2);
  CHECK(bytes_on(result, "fabric") == 0);
  std::int64_t reduced = 0;
  for (const LevelRow& row : result.levels)
    if (row.name == "fabric" && row.collective == "all_reduce") reduced += row.bytes.narrow().value;
  CHECK(reduced == 4 * (all_bytes / 2) + 4 * 4);  // and the norm of the gradients, 4 B a rank
}

// Prefetching hides gathers behind the layer before; what is not prefetched is waited for.
TEST_CASE("prefetch and gathers beside the forward pass hide what they gather") {
  Experiment experiment = two_nodes(Sharding::zero3, 32);
  const RunResult ahead = simulate(experiment);
  sharded_training(experiment).prefetch = 0;
  const RunResult late = simulate(experiment);
  CHECK(late.finish > ahead.finish);
  CHECK(bytes_on(late, "fabric") == bytes_on(ahead, "fabric"));

  Experiment once = two_nodes(Sharding::zero1, 32);
  sharded_training(once).bucket = Bytes{4'000'000};
  const RunResult at_the_end = simulate(once);
  sharded_training(once).overlap_parameters = true;
  const RunResult beside = simulate(once);
  CHECK(beside.finish < at_the_end.finish);
  CHECK(bytes_on(beside, "fabric") == bytes_on(at_the_end, "fabric"));
}

// Each iteration begins with the gathers that the one before left: the second and the first take
// the same time, to the picosecond.
TEST_CASE("iterations with gathers beside the forward pass are in their steady state") {
  Experiment experiment = two_nodes(Sharding::zero1, 32);
  sharded_training(experiment).overlap_parameters = true;
  const RunResult one = simulate(experiment);
  experiment.workload.iterations = 3;
  const RunResult three = simulate(experiment);
  CHECK(three.finish.value == 3 * one.finish.value);
}
