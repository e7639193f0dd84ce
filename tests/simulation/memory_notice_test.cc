// Whether a model fits, said in words.
#include "simulation/result/memory_notice.h"

#include <catch2/catch.hpp>

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

// One layer of h = 8, f = 32, V = 16, s = 4 on one NPU: 784 + 128 + 136 = 1,048 parameters of 18 B,
// 18,864 B. Activations 32 x 32 B of the layer and 512 B of the head: 1,536 B. 20,400 B in all.
Experiment small(Bytes memory) {
  TransformerWorkload workload;
  workload.model.layers = 1;
  workload.model.hidden = 8;
  workload.model.heads = 1;
  workload.model.vocabulary = 16;
  workload.model.sequence = 4;
  workload.model.element = Bytes{2};
  workload.model.tied_embeddings = false;
  workload.training.global_batch = 1;
  Experiment experiment;
  experiment.npu.memory = memory;
  experiment.workload.what = workload;
  return experiment;
}

}  // namespace

TEST_CASE("A model that just fits gives no notice, one byte less of memory does") {
  CHECK(memory_notices(small(Bytes{20'400})).empty());
  const auto notices = memory_notices(small(Bytes{20'399}));
  REQUIRE(notices.size() == 1);
  CHECK_THAT(notices[0], Contains("stage 0 needs 20.4 kB") && Contains("optimizer 12.58 kB") &&
                             Contains("make tensor or pipeline larger"));
}

TEST_CASE("What is reserved is not there") {
  Experiment experiment = small(Bytes{20'400});
  experiment.npu.reserve = Bytes{1};
  CHECK_THAT(memory_notices(experiment).at(0), Contains("1 B of it reserved"));
}

TEST_CASE("Without a size of the memory nothing is said") {
  Experiment experiment = small(Bytes{1});
  experiment.npu.memory.reset();
  CHECK(memory_notices(experiment).empty());
}

// Eight data-parallel ranks that each have all optimizer states.
TEST_CASE("The remedy is for the largest kind") {
  Experiment experiment = small(Bytes{1'000});
  auto& training = std::get<TransformerWorkload>(experiment.workload.what).training;
  training.data = 8;
  training.global_batch = 8;
  CHECK_THAT(memory_notices(experiment).at(0), Contains("write sharding: zero1"));
  training.global_batch = 8 * 64;
  training.micro_batch = 64;
  CHECK_THAT(memory_notices(experiment).at(0), Contains("write recompute: full"));
  training.recompute = Recompute::full;
  CHECK_THAT(memory_notices(experiment).at(0), Contains("make micro_batch smaller"));
}
