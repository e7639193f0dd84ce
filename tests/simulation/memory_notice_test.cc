// Whether a model fits, said in words.
#include "simulation/result/memory_notice.h"

#include <catch2/catch.hpp>

#include "simulation/result/knobs.h"
#include "simulation/search/fitting.h"
#include "simulation/search/fitting_change.h"

using namespace orrery;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

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

// Llama-3 70B, 70.6e9 parameters in bf16, on so many nodes of eight GPUs of that memory.
Experiment llama_70b(std::int32_t nodes, std::int64_t gibibytes) {
  Experiment experiment;
  experiment.npu.memory = Bytes{gibibytes << 30};
  experiment.topology.levels = {
      {"node", LevelKind::switched, 8, gigabytes_per_second(450), nanoseconds(500), Scope::local},
      {"fabric", LevelKind::switched, nodes, gigabits_per_second(400), nanoseconds(500)}};
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
  workload.training.global_batch = 8 * nodes;
  workload.training.data = 8 * nodes;
  experiment.workload.what = workload;
  return experiment;
}

TransformerTraining& llama_training(Experiment& experiment) {
  return std::get<TransformerWorkload>(experiment.workload.what).training;
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

// With 1,024 H100 as replicas 141 GB of parameters are on every one. Optimizer states alone being
// shared leaves that, so sharding: zero1 would not be enough. Shared by all, the states are 1.2 GB,
// and activations of 186 GB have to be computed again. tensor: 4 with zero2 would need 84.7 GB, and
// the allocator 5 % more than that: over the 85.9 of the device. With 8 tensor-parallel ranks
// parameters and gradients are 17.6 and 35.3 GB.
TEST_CASE("The remedy is one with which the model fits") {
  Experiment experiment = llama_70b(128, 80);
  CHECK_THAT(memory_notices(experiment).at(0),
             Contains("write sharding: zero3, recompute: full, which"));

  TransformerTraining& training = llama_training(experiment);
  training.tensor = 8;
  training.data = 128;
  training.sharding = Sharding::zero1;
  training.sequence_parallel = true;
  CHECK(memory_notices(experiment).empty());
}

// Tokens of 8,192 x 8,192 elements of 2 B are 134 MB. Of a layer's, those outside the eight parts
// are five (two inputs, two norms and a residual): 0.67 GB, 54 GB of 80 layers, on every rank
// without sequence parallelism. With 53.7 GB of states that is too much, and a share of it is not.
// Computing layers again would fit as well, and takes a third more time.
TEST_CASE("Sequence parallelism, which costs nothing, is the first remedy") {
  Experiment experiment = llama_70b(128, 80);
  TransformerTraining& training = llama_training(experiment);
  training.tensor = 8;
  training.data = 128;
  training.sharding = Sharding::zero1;
  CHECK_THAT(memory_notices(experiment).at(0),
             Contains("does not fit") && Contains("write sequence_parallel: true, which needs"));
  // Of what fits but for fragments, too.
  const Bytes needed = most_memory(std::get<TransformerWorkload>(experiment.workload.what));
  experiment.npu.memory = needed + Bytes{1};
  CHECK_THAT(
      memory_notices(experiment).at(0),
      Contains("only without fragments") && Contains("write sequence_parallel: true, which needs"));
}

// States of 18 B: 158.8 GB of each of 8, 79.4 of 16 and 39.7 of 32. Buffers and activations take
// 25.7 GB, and an allocator 5 % more: 32 is the first that fits into 85.9.
TEST_CASE("A group that shares copies is made larger before tensors are split") {
  Experiment experiment = llama_70b(64, 80);
  TransformerTraining& training = llama_training(experiment);
  training.sharding = Sharding::zero3;
  training.shard_group = 8;
  training.recompute = Recompute::full;
  CHECK_THAT(memory_notices(experiment).at(0), Contains("write shard_group: 32, which needs"));
}

// 1,270 GB of states, at most 40.9 GB of them on a rank: 32 NPUs or more, with 1.2 GB for the rest,
// which is too little. 40 NPUs are five stages of 8, which no small change of two gives. On 48, six
// stages, the states take 26.5 GB; on the first stage six micro-batches are in flight.
TEST_CASE("More servers are named with what they need written") {
  Experiment experiment = llama_70b(2, 40);
  TransformerTraining& training = llama_training(experiment);
  training.tensor = 8;
  training.pipeline = 2;
  training.data = 1;
  training.global_batch = 32;
  CHECK_THAT(
      memory_notices(experiment).at(0),
      EndsWith("use 48 NPUs and write sequence_parallel: true, pipeline: 6, recompute: full"));
}

// 16 replicas on 16 NPUs are one once the model is split among all of them.
TEST_CASE("Data parallelism that is written is among what a remedy changes") {
  Experiment experiment = llama_70b(2, 80);
  experiment.resolved = {{"workload.training.data", "16", "llama.yaml:3", ""}};
  CHECK_THAT(memory_notices(experiment).at(0),
             Contains("write tensor: 8, sequence_parallel: true, pipeline: 2, data: 1"));
  experiment.resolved.front().origin = "default";
  CHECK_THAT(memory_notices(experiment).at(0), Contains("pipeline: 2, recompute: full"));
}

// 70.6e9 parameters on 64 H100, 16 of bf16 in 1,024 samples of each replica: zero3 alone fits, and
// gathers 141 GB and reduces 282 GB for each of 128 micro-batches of 8 tensor-parallel ranks, over
// 50 GB/s; stages that sum their gradients do it once.
TEST_CASE("a remedy of one setting gives way to one of two that takes considerably less time") {
  Experiment experiment = llama_70b(8, 80);
  experiment.npu.peak = teraflops_per_second(989);
  experiment.npu.memory_bandwidth = gigabytes_per_second(3'350);
  TransformerTraining& training = llama_training(experiment);
  training.tensor = 8;
  training.sequence_parallel = true;
  training.data = 8;
  training.global_batch = 1'024;
  experiment.topology.levels.back().bandwidth = gigabits_per_second(20);
  CHECK_THAT(memory_notices(experiment).at(0), Contains("pipeline: "));
  experiment.npu.peak = {};  // no estimate
  CHECK_THAT(memory_notices(experiment).at(0), !Contains("pipeline: "));
}

// Its batch is one sample, and the NPUs that have room are more replicas than that.
TEST_CASE("More NPUs come with the batch that they need") {
  Experiment experiment = llama_70b(1, 40);
  TransformerTraining& training = llama_training(experiment);
  training.tensor = 8;
  training.data = 1;
  training.global_batch = 1;
  const std::string notice = memory_notices(experiment).at(0);
  CHECK_THAT(notice, Contains(": use ") && !Contains("or more"));
}

// 158.8 GB of states on each of 8 H100. Without a pipeline 24 have room, two stages do with
// 16: 79.4 GB of states and 81.8 GB that an allocator can fill.
TEST_CASE("Where the parallelism is chosen, more servers are as many as fit with any") {
  Experiment experiment = llama_70b(1, 80);
  experiment.topology.levels.pop_back();
  experiment.parallelism_chosen = "tp8 pp1 dp1 mb1 recompute-full, least memory; batch 512 ASSUMED";
  TransformerTraining& training = llama_training(experiment);
  training.tensor = 8;
  training.data = 1;
  training.global_batch = 512;
  training.sequence_parallel = true;
  training.recompute = Recompute::full;
  CHECK_THAT(memory_notices(experiment).at(0), EndsWith("use 16 NPUs"));
}

// 8 billion parameters in bf16 with 32 replicas on H100 (`data: 32` alone, the first thing to try):
// 16 + 32 + 96 GB of states and 43 of activations. Optimizer states shared leave 16 + 32 + 3 + 43 =
// 94 GB, gradients shared too 16 + 1 + 3 + 43 (and a bucket): no tensors need be split.
TEST_CASE("Replicas that do not fit are told to shard, not to split tensors") {
  Experiment experiment;
  experiment.npu.memory = Bytes{std::int64_t{80} << 30};
  experiment.topology.levels = {
      {"node", LevelKind::switched, 8, gigabytes_per_second(450), nanoseconds(500), Scope::local},
      {"fabric", LevelKind::switched, 2, gigabits_per_second(400), nanoseconds(500)}};
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
  // Four samples at a time take 4 x 43 GB, two 86, one 43.
  llama_training(experiment).sharding = Sharding::zero2;
  llama_training(experiment).micro_batch = 4;
  CHECK_THAT(memory_notices(experiment).at(0), Contains("write micro_batch: 1, which needs"));
}

// On half of two tensor-parallel ranks the model needs 20,400 B.
TEST_CASE("a smaller training.tensor is no remedy where memory has no room for it") {
  TimePart part;
  part.part = "TP";
  part.level = "fabric";
  part.bound_by = BoundBy::bandwidth;
  const auto remedy = [&](Bytes memory) {
    Experiment experiment = small(memory);
    experiment.topology.levels = {
        {"fabric", LevelKind::switched, 2, gigabits_per_second(400), nanoseconds(500)}};
    auto& training = std::get<TransformerWorkload>(experiment.workload.what).training;
    training.tensor = 2;
    training.global_batch = 2;  // a sample for each of two replicas
    return knob_of(part, experiment, 1, {});
  };
  CHECK(remedy(Bytes{20'400}) == "more bandwidth on fabric, or a smaller training.tensor");
  CHECK(remedy(Bytes{20'399}) == "more bandwidth on fabric");
}

// Of 2 tensor-parallel ranks on 2 NPUs two replicas become, for which a batch of 1 is too small.
TEST_CASE("a smaller training.tensor is no remedy where it is not allowed") {
  TimePart part;
  part.part = "TP";
  part.level = "fabric";
  part.bound_by = BoundBy::bandwidth;
  Experiment experiment = small(Bytes{1'000'000});
  experiment.topology.levels = {{"fabric", LevelKind::switched, 2, gigabits_per_second(400),
                                 nanoseconds(500), Scope::scale_out}};
  TransformerTraining& training = std::get<TransformerWorkload>(experiment.workload.what).training;
  training.tensor = 2;
  CHECK(knob_of(part, experiment, 1, {}) == "more bandwidth on fabric");
  training.global_batch = 2;
  CHECK(knob_of(part, experiment, 1, {}) ==
        "more bandwidth on fabric, or a smaller training.tensor");
}

// Eight experts whole on each of 8 x 8 ranks, 93 GB: zero3 alone would gather them all for each of
// 32 micro-batches, and ranks that have one of eight each gather an eighth.
TEST_CASE("a remedy spreads experts where that takes considerably less time") {
  Experiment experiment = llama_70b(8, 80);
  experiment.npu.peak = teraflops_per_second(989);
  experiment.npu.memory_bandwidth = gigabytes_per_second(3'350);
  auto& workload = std::get<TransformerWorkload>(experiment.workload.what);
  workload.model.layers = 32;
  workload.model.hidden = 4'096;
  workload.model.heads = 32;
  workload.model.feed_forward = 14'336;
  workload.model.vocabulary = 32'000;
  workload.model.experts.count = 8;
  workload.model.experts.top_k = 2;
  workload.training.tensor = workload.training.data = 8;
  workload.training.sequence_parallel = true;
  workload.training.global_batch = 256;
  CHECK_THAT(memory_notices(experiment).at(0), Contains("expert: "));
  experiment.npu.peak = {};  // no estimate
  CHECK_THAT(memory_notices(experiment).at(0), !Contains("expert: "));
}

TEST_CASE("The remedy names the context that it changes") {
  TransformerTraining written, changed;
  written.context = 2;
  CHECK(changed_settings(changed, written) == "context: 1");
}
