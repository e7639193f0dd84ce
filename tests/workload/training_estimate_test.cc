#include "workload/training_estimate.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

// 8 layers of 1,000 and a vocabulary of 10,000: N = 12 x 1000^2 x 8 + 10^7 = 106 M parameters, of
// which a rank of (p, t, d) = (4, 2, 2) has 13.25 M. m = 32 / (2 x 2) = 8 micro-batches of 2,000
// tokens, A = 2000 x 1000 x 2 B = 4 MB.
TransformerWorkload small() {
  TransformerWorkload workload;
  workload.model.layers = 8;
  workload.model.hidden = 1'000;
  workload.model.heads = 10;
  workload.model.vocabulary = 10'000;
  workload.model.sequence = 1'000;
  workload.model.element = workload.model.gradient_element = Bytes{2};
  workload.training.tensor = 2;
  workload.training.pipeline = 4;
  workload.training.data = 2;
  workload.training.global_batch = 32;
  workload.training.micro_batch = 2;
  workload.training.recompute = Recompute::full;
  return workload;
}

const EstimateRates rates{teraflops_per_second(100), gigabytes_per_second(100),
                          gigabytes_per_second(10), gigabytes_per_second(10)};

TEST_CASE("the parts of an iteration in closed form") {
  const TrainingEstimate found = estimate(small(), rates);
  CHECK(found.compute == microseconds(16'960));   // 8 x 8 x 13.25 M x 2000 / 100 TFLOP/s
  CHECK(found.tensor == microseconds(3'840));     // 8 x 2 layers x 6 x 4 MB / 100 GB/s
  CHECK(found.pipeline == microseconds(6'400));   // 8 x 2 x 4 MB / 10 GB/s
  CHECK(found.bubble == microseconds(10'200));    // 3 x (2.12 + 0.48 + 0.8 ms)
  CHECK(found.data == microseconds(2'650));       // 13.25 M x 2 B / 10 GB/s
  CHECK(found.embedding == microseconds(1'000));  // 10^7 / 2 x 2 B / 10 GB/s
  CHECK(found.iteration() == microseconds(41'050));
  // The MLP's second matrix, 8 x 4 x 10^6 / 8 = 4 M parameters of a rank, and its sum are not
  // computed again: 8 x 2 x 4 M x 2000 / 100 TFLOP/s = 1,280 us, and one of six all-reduces.
  TransformerWorkload early = small();
  early.training.recompute_stops_early = true;
  CHECK(estimate(early, rates).compute == microseconds(16'960 - 1'280));
  CHECK(estimate(early, rates).tensor == microseconds(3'200));
}

TEST_CASE("without recomputation there are three quarters of the operations, four all-reduces") {
  TransformerWorkload workload = small();
  workload.training.recompute = Recompute::none;
  CHECK(estimate(workload, rates).compute == microseconds(12'720));
  CHECK(estimate(workload, rates).tensor == microseconds(2'560));
}

// Seven all-reduces for six, and half of the activations at boundaries.
TEST_CASE("sequence parallel ranks gather once more, and send their own tokens on") {
  TransformerWorkload workload = small();
  workload.training.sequence_parallel = true;
  CHECK(estimate(workload, rates).tensor == microseconds(4'480));
  CHECK(estimate(workload, rates).pipeline == microseconds(3'200));
}

TEST_CASE("a single stage has no bubble, a chunked one a smaller, and one rank exchanges nothing") {
  TransformerWorkload workload = small();
  workload.training.schedule = PipelineSchedule::interleaved;
  workload.training.chunks = 2;
  CHECK(estimate(workload, rates).bubble == microseconds(5'100));
  workload = small();
  workload.training.tensor = workload.training.pipeline = workload.training.data = 1;
  workload.training.global_batch = 16;
  const TrainingEstimate alone = estimate(workload, rates);
  CHECK(alone.iteration() == alone.compute);
}

TEST_CASE("sharded states are exchanged in two halves, gradients and parameters") {
  TransformerWorkload workload = small();
  workload.model.gradient_element = Bytes{4};
  CHECK(estimate(workload, rates).data == microseconds(5'300));
  workload.training.sharding = Sharding::zero1;  // (4 + 2) B x 13.25 M x 1/2 / 10 GB/s
  CHECK(estimate(workload, rates).data == microseconds(3'975));
}

}  // namespace
}  // namespace orrery
