#include "workload/dropped_copies.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "workload/model/expert_loads.h"
#include "workload/training_flops.h"

namespace orrery {
namespace {

// 4 ranks with 2 experts of 8 each; 2 copies of each of 1,024 tokens, 256 for an expert.
TransformerWorkload workload(double capacity) {
  TransformerWorkload result;
  result.model.layers = 2;
  result.model.hidden = 64;
  result.model.heads = 4;
  result.model.vocabulary = 100;
  result.model.sequence = 1'024;
  result.model.element = Bytes{2};
  result.model.experts.count = 8;
  result.model.experts.top_k = 2;
  result.training.data = 4;
  result.training.global_batch = 4;
  result.training.experts.parallel = 4;
  result.training.experts.capacity = capacity;
  return result;
}

}  // namespace

// Equally popular, half of the room that is needed keeps half.
TEST_CASE("copies without room are dropped") {
  CHECK(dropped_copies(workload(0)) == 0);
  CHECK(dropped_copies(workload(1)) == 0);
  CHECK(dropped_copies(workload(0.5)) == 0.5);
  TransformerWorkload padded = workload(0.5);
  padded.training.experts.capacity_mode = CapacityMode::pad;
  CHECK(dropped_copies(padded) == 0.5);
  padded.training.experts.capacity = 2;
  CHECK(dropped_copies(padded) == 0);
}

// What does not arrive at the experts of either layer.
TEST_CASE("of copies that are drawn, those that do not arrive are dropped") {
  TransformerWorkload popular = workload(1);
  popular.training.experts.load.kind = ExpertLoad::zipf;
  ExpertLoads loads(popular, 1'024);
  std::int64_t arrived = 0;
  for (const std::int32_t layer : {0, 1}) {
    const auto& arriving = loads.counts({.layer = layer}).arriving;
    arrived += std::accumulate(arriving.begin(), arriving.end(), std::int64_t{0});
  }
  const double dropped = dropped_copies(popular);
  CHECK(dropped > 0.2);
  CHECK(dropped == Approx(1 - static_cast<double>(arrived) / (2 * 4 * 2 * 1'024)));
}

// Two experts of 8 h^2 a token (training_flops_test.cc), of which half is left.
TEST_CASE("what is dropped is no operation of a model") {
  const double tokens = 4 * 1'024, layers = 2, of_experts = 6 * tokens * layers * 16 * 64 * 64;
  for (const FlopConvention convention : flop_conventions)
    CHECK(training_flops(workload(1), convention) - training_flops(workload(0.5), convention) ==
          Approx(of_experts / 2).epsilon(1e-9));
}

}  // namespace orrery
