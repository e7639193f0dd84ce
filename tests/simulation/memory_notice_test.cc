// Whether a model fits, said in words.
#include "simulation/result/memory_notice.h"

#include <catch2/catch.hpp>

#include "simulation/result/knobs.h"

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

// An allocator reserves 5 % more, 21,420 B.
TEST_CASE("A model that just fits gives no notice, one byte less of memory does") {
  CHECK(memory_notices(small(Bytes{21'420})).empty());
  CHECK_THAT(memory_notices(small(Bytes{21'419})).at(0),
             Contains("only without fragments") && Contains("stage 0 needs 20.4 kB") &&
                 Contains("reserves 5 % more") && Contains("21.42 kB") &&
                 Contains("make tensor or pipeline larger"));
  Experiment exact = small(Bytes{20'400});
  exact.npu.fragmentation = {0, 100};
  CHECK(memory_notices(exact).empty());
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

// 70 billion parameters in bf16 with 1,024 H100 as replicas: 141 GB of parameters are on every one.
// Optimizer states alone being shared leaves that, so sharding: zero1 would not be enough. Shared
// by all, the states are 1.2 GB, and activations of 186 GB have to be computed again. tensor: 4
// with zero2 would need 84.7 GB, and the allocator 5 % more than that: over the 85.9 of the device.
// With 8 tensor-parallel ranks parameters and gradients are 17.6 and 35.3 GB.
TEST_CASE("The remedy is one with which the model fits") {
  Experiment experiment;
  experiment.npu.memory = Bytes{std::int64_t{80} << 30};
  experiment.topology.levels = {
      {"node", LevelKind::switched, 8, gigabytes_per_second(450), nanoseconds(500), Scope::local},
      {"fabric", LevelKind::switched, 128, gigabits_per_second(400), nanoseconds(500)}};
  TransformerWorkload workload;
  workload.model.layers = 80;
  workload.model.hidden = 8'192;
  workload.model.heads = 64;
  workload.model.key_value_heads = 8;
  workload.model.feed_forward = 28'672;
  workload.model.gated = true;
  workload.model.vocabulary = 128'256;
  workload.model.sequence = 8'192;
  workload.model.element = Bytes{2};
  workload.model.tied_embeddings = false;
  workload.training.global_batch = 1'024;
  workload.training.data = 1'024;
  experiment.workload.what = workload;
  CHECK_THAT(memory_notices(experiment).at(0),
             Contains("write sharding: zero3, recompute: full, which"));

  auto& training = std::get<TransformerWorkload>(experiment.workload.what).training;
  training.tensor = 8;
  training.data = 128;
  training.sharding = Sharding::zero1;
  training.sequence_parallel = true;
  CHECK(memory_notices(experiment).empty());
}

// 8 billion parameters in bf16 with 32 replicas on H100 (`data: 32` alone, the first thing to try):
// 16 + 32 + 96 GB of states and 43 of activations. Optimizer states shared leave 16 + 32 + 3 + 43 =
// 94 GB, gradients shared too 16 + 1 + 3 + 43 (and a bucket): no tensors need be split.
TEST_CASE("Replicas that do not fit are told to shard, not to split tensors") {
  Experiment experiment;
  experiment.npu.memory = Bytes{std::int64_t{80} << 30};
  experiment.topology.levels = {
      {"node", LevelKind::switched, 8, gigabytes_per_second(450), nanoseconds(500), Scope::local},
      {"fabric", LevelKind::switched, 4, gigabits_per_second(400), nanoseconds(500)}};
  TransformerWorkload workload;
  workload.model.layers = 32;
  workload.model.hidden = 4'096;
  workload.model.heads = 32;
  workload.model.key_value_heads = 8;
  workload.model.feed_forward = 14'336;
  workload.model.gated = true;
  workload.model.vocabulary = 128'256;
  workload.model.sequence = 8'192;
  workload.model.element = Bytes{2};
  workload.model.tied_embeddings = false;
  workload.training.global_batch = 512;
  workload.training.data = 32;
  experiment.workload.what = workload;
  CHECK_THAT(memory_notices(experiment).at(0), Contains("write sharding: zero2, which needs"));
}

// On half of two tensor-parallel ranks the model needs 20,400 B.
TEST_CASE("a smaller training.tensor is no remedy where memory has no room for it") {
  TimePart part;
  part.part = "TP";
  part.level = "fabric";
  part.bound_by = BoundBy::bandwidth;
  const auto remedy = [&](Bytes memory) {
    Experiment experiment = small(memory);
    std::get<TransformerWorkload>(experiment.workload.what).training.tensor = 2;
    return knob_of(part, experiment, 1, {});
  };
  CHECK(remedy(Bytes{20'400}) == "more bandwidth on fabric, or a smaller training.tensor");
  CHECK(remedy(Bytes{20'399}) == "more bandwidth on fabric");
}
