// What is wrong with a transformer and its training, without a file.
#include <catch2/catch.hpp>

#include "tests/problem_keys.h"
#include "workload/problems.h"

using namespace orrery;
using orrery::test::keys;

namespace {

// Divides by 2 wherever something is cut.
TransformerWorkload good() {
  TransformerWorkload workload;
  workload.model.layers = 4;
  workload.model.hidden = 64;
  workload.model.heads = 4;
  workload.model.vocabulary = 128;
  workload.model.sequence = 32;
  workload.model.element = Bytes{2};
  workload.training.tensor = 2;
  workload.training.pipeline = 2;
  workload.training.data = 4;
  workload.training.global_batch = 32;
  return workload;
}

// 16 NPUs in nodes of eight.
PlatformFacts sixteen() {
  LevelSpec node, fabric;
  node.size = 8;
  node.scope = Scope::local;
  fabric.size = 2;
  return facts_of({{node, fabric}});
}

template <class Change>
std::string wrong_keys(Change change) {
  TransformerWorkload workload = good();
  change(workload.model, workload.training);
  return keys(problems_of(workload, sixteen()));
}

using Model = TransformerSpec;
using Training = TransformerTraining;

}  // namespace

TEST_CASE("a transformer that obeys all rules") {
  CHECK(keys(problems_of(good(), sixteen())) == "");
  CHECK(data_ranks(good().training, sixteen()) == 4);
}

TEST_CASE("a transformer whose shape is wrong names its keys, and nothing of its training") {
  CHECK(wrong_keys([](Model& model, Training& training) {
          model.heads = 0;
          training.tensor = 3;
        }) == "transformer.heads");
  CHECK(wrong_keys([](Model& model, Training&) { model.heads = 5; }) == "transformer.heads");
  CHECK(wrong_keys([](Model& model, Training&) { model.layers = 10'000; }) == "");
  CHECK(wrong_keys([](Model& model, Training&) { model.layers = 10'001; }) == "transformer.layers");
  CHECK(wrong_keys([](Model& model, Training&) {
          model.experts.count = 4;
          model.experts.top_k = 5;
        }) == "transformer.experts.top_k");
}

TEST_CASE("sizes that do not fill the platform") {
  // 2 x 3 = 6 of 16
  CHECK(wrong_keys([](Model&, Training& training) { training.pipeline = 3; }) ==
        "training.pipeline");
  // 2 x 2 x 8 = 32
  CHECK(wrong_keys([](Model&, Training& training) { training.data = 8; }) == "training.data");
  CHECK(wrong_keys([](Model&, Training& training) { training.tensor = 0; }) == "training.tensor");
  // 2^24 x 2^24 x 2^24 is 0 modulo 2^64.
  CHECK(wrong_keys([](Model&, Training& training) {
          training.tensor = training.pipeline = training.context = 1 << 24;
        }) == "training.pipeline");
  // 33 samples for 4 ranks
  CHECK(wrong_keys([](Model&, Training& training) { training.global_batch = 33; }) ==
        "training.global_batch");
}

TEST_CASE("what the training frameworks refuse") {
  CHECK(wrong_keys([](Model&, Training& training) { training.sharding = Sharding::zero2; }) ==
        "training.sharding");
  CHECK(wrong_keys([](Model&, Training& training) { training.chunks = 2; }) == "training.chunks");
  CHECK(wrong_keys([](Model&, Training& training) {
          training.tensor = 1;
          training.data = 8;
          training.sequence_parallel = true;
        }) == "training.sequence_parallel");
  // Four stages of two chunks want eight layers; 2 x 4 x 2 = 16 NPUs, 16 micro-batches.
  CHECK(wrong_keys([](Model&, Training& training) {
          training.pipeline = 4;
          training.data = 2;
          training.schedule = PipelineSchedule::interleaved;
          training.chunks = 2;
        }) == "training.pipeline");
}

TEST_CASE("experts that do not divide, and nodes that are not filled") {
  const auto with_experts = [](Model& model, Training& training) {
    model.experts.count = 8;
    model.experts.top_k = 2;
    training.sequence_parallel = true;
  };
  CHECK(wrong_keys(with_experts) == "");
  CHECK(wrong_keys([&](Model& model, Training& training) {
          with_experts(model, training);
          training.experts.parallel = 3;
        }) == "training.expert");  // of 8 experts; 2 x 4 ranks are no second mistake
  CHECK(wrong_keys([&](Model& model, Training& training) {
          with_experts(model, training);
          training.experts.parallel = 8;
          training.experts.tensor = 2;
        }) == "training.expert");  // 8 x 2 of 2 x 4 ranks
  CHECK(wrong_keys([&](Model& model, Training& training) {
          with_experts(model, training);
          training.experts.parallel = 8;
          training.experts.node_ranks = 8;
        }) == "training.dispatch");
  CHECK(wrong_keys([&](Model& model, Training& training) {
          with_experts(model, training);
          training.experts.load.kind = ExpertLoad::trace;
          training.experts.load.weights = {{1, 0, 0}};
        }) == "training.expert_load.file");
}

// prefetch is for gathered parameters, reshard_after_forward for zero3; the model has no experts.
TEST_CASE("settings that mean nothing are named, and are no problem by themselves") {
  const std::string idle = keys(idle_settings(good().training, good().model));
  CHECK(idle.starts_with("deferral_limit prefetch reshard_after_forward recompute_stops_early "));
  CHECK(idle.ends_with("expert_load"));
  Training training = good().training;
  training.sharding = Sharding::zero3;
  CHECK(keys(idle_settings(training, good().model)).starts_with("deferral_limit recompute_stops"));
}

// One order of ranks without stages, or with one replica of them.
TEST_CASE("settings of what is computed again, of tensors and of an order of ranks") {
  Training training = good().training;
  const auto idle = [&](const std::string& key) {
    return (' ' + keys(idle_settings(training, good().model)) + ' ').find(' ' + key + ' ') !=
           std::string::npos;
  };
  training.recompute = Recompute::none;
  CHECK(idle("recompute_stops_early"));
  training.recompute = Recompute::full;
  CHECK_FALSE(idle("recompute_stops_early"));
  training.tensor = 1;
  CHECK(idle("overlap_gradient_sums"));
  training.tensor = 2;
  CHECK_FALSE(idle("overlap_gradient_sums"));
  training.pipeline = training.data = 2;
  CHECK_FALSE(idle("order"));
  training.pipeline = 1;
  CHECK(idle("order"));
  training.pipeline = 2;
  training.data = 1;
  CHECK(idle("order"));
}
