// What is chosen where a file names no parallelism, and where nothing is.
#include <algorithm>
#include <catch2/catch.hpp>

#include "simulation/result/memory_notice.h"
#include "simulation/search/fitting.h"
#include "simulation/simulate.h"
#include "tests/simulation/search/small_search.h"

using namespace orrery;
using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;

namespace {

Experiment loaded(std::vector<Override> overrides = {},
                  const std::string& text = small_experiment) {
  const SearchFile file(text);
  return load_experiment(file.path(), overrides);
}

// Of a device whose memory is not known nothing is compared.
std::string without_memory(std::string text = small_experiment) {
  const std::string memory = ", memory: 19000 B";
  text.erase(text.find(memory), memory.size());
  return text;
}

const TransformerWorkload& workload_of(const Experiment& experiment) {
  return std::get<TransformerWorkload>(experiment.workload.what);
}

std::string origin_of(const Experiment& experiment, const std::string& key) {
  const auto value =
      std::ranges::find(experiment.resolved, "workload.training." + key, &ResolvedValue::path);
  return value == experiment.resolved.end() ? "" : value->origin;
}

}  // namespace

// 35,536 B and 19,048 B with zero1 on one stage do not fit into 21,000 B less a tenth, 18,464 B of
// two stages do (fitting_test.cc). Two stages are the fastest of all (search_test.cc): only 64 B of
// activations cross the fabric.
TEST_CASE("what does not fit as data parallelism gets the fastest that fits") {
  const Experiment experiment = loaded({{"platform.npu.memory=21000 B"}});
  const TransformerTraining& training = workload_of(experiment).training;
  CHECK(training.pipeline == 2);
  CHECK(training.tensor == 1);
  CHECK(training.data == 2);
  CHECK(most_memory(workload_of(experiment)) <= *experiment.npu.memory);
  CHECK(memory_notices(experiment).empty());
  CHECK_THAT(experiment.parallelism_chosen,
             StartsWith("tp1 pp2 dp2 mb1 1f1b") && Contains(", best of "));
  CHECK(origin_of(experiment, "pipeline") == "chosen");
  CHECK(origin_of(experiment, "global_batch") != "chosen");
  CHECK(simulate(experiment).parallelism_chosen == experiment.parallelism_chosen);
  // Nor does it depend on how ranks start.
  const Experiment skewed = loaded({{"platform.npu.memory=21000 B"}, {"workload.skew=1 us"}});
  CHECK(skewed.parallelism_chosen == experiment.parallelism_chosen);
  CHECK(skewed.workload.skew == microseconds(1));
}

// 40 kB less a tenth have room for 35,536 B, and two stages are faster all the same.
TEST_CASE("what fits as data parallelism alone is compared with the others") {
  const Experiment chosen = loaded({{"platform.npu.memory=40 kB"}});
  CHECK(workload_of(chosen).training.pipeline == 2);
  const Experiment alone =
      loaded({{"platform.npu.memory=40 kB"}, {"workload.training.sharding=none"}});
  CHECK(workload_of(alone).training.data == 4);
  CHECK(simulate(chosen).finish < simulate(alone).finish);
}

TEST_CASE("data parallelism alone stays where memory is not known") {
  const Experiment experiment = loaded({}, without_memory());
  CHECK(workload_of(experiment).training.data == 4);
  CHECK(experiment.parallelism_chosen.empty());
  CHECK(origin_of(experiment, "pipeline") == "default");
}

TEST_CASE("a key that only pipelines have is refused rather than made true by a pipeline") {
  for (const char* key :
       {"overlap_p2p=false", "defer_head_gradients=true", "micro_batch_group=4"}) {
    const std::string setting = std::string("workload.training.") + key;
    CHECK_THROWS_WITH(loaded({{setting}}, without_memory()),
                      Contains(setting.substr(0, setting.find('='))) && Contains("leave it out"));
  }
  const Experiment stages =
      loaded({{"platform.npu.memory=21000 B"}, {"workload.training.overlap_p2p=false"}});
  CHECK(workload_of(stages).training.pipeline == 2);
}

TEST_CASE("a key that says more of another parallelism does not force it either") {
  for (const char* key :
       {"prefetch=2", "overlap_tensor=true", "context_method=ulysses", "reshard_after_forward=true",
        "recompute_stops_early=true", "overlap_gradient_sums=false", "order=tp-cp-ep-pp-dp"}) {
    const std::string setting = std::string("workload.training.") + key;
    CHECK_THROWS_WITH(loaded({{setting}}, without_memory()),
                      Contains(setting.substr(0, setting.find('='))) && Contains("leave it out"));
  }
}

// 12 NPUs in nodes of 6: a tensor-parallel group of 4 would lie in one node or in two.
TEST_CASE("groups that lie on the nodes in unequal ways are not chosen") {
  std::string sixes = small_experiment;
  sixes.replace(sixes.find("size: 2"), 7, "size: 6");
  const Experiment experiment =
      loaded({{"workload.transformer.heads=4"}, {"workload.training.global_batch=12"}}, sixes);
  CHECK_FALSE(experiment.parallelism_chosen.empty());
  const TransformerTraining& training = workload_of(experiment).training;
  const std::int32_t stage = training.tensor * training.data;
  CHECK(6 % training.tensor == 0);
  CHECK((6 % stage == 0 || stage % 6 == 0));
}

// Each says how the model is divided, so it is the user's.
TEST_CASE("nothing is chosen beside a key that divides the model") {
  for (const char* setting : {"tensor=1", "pipeline=1", "data=4", "context=1", "sharding=none"}) {
    const Experiment experiment = loaded({{std::string("workload.training.") + setting}});
    CHECK(experiment.parallelism_chosen.empty());
    CHECK(most_memory(workload_of(experiment)) > *experiment.npu.memory);
    CHECK(memory_notices(experiment).size() == 1);
  }
}

// 4 Mi tokens are 64 samples of 65,536, which 4 ranks divide.
TEST_CASE("a batch that the file does not say is assumed, and named") {
  std::string silent = without_memory();
  const std::string training = "  training: {global_batch: 4}\n";
  silent.erase(silent.find(training), training.size());
  const std::vector<Override> long_samples{{"workload.transformer.sequence=65536"}};
  const Experiment experiment = loaded(long_samples, silent);
  CHECK(workload_of(experiment).training.global_batch == 64);
  CHECK(experiment.parallelism_chosen == "dp4 mb1, a whole model on each NPU; batch 64 ASSUMED");
  CHECK(origin_of(experiment, "global_batch") == "chosen");
  // 2 replicas take 5 samples at a time, on 2 stages: 3 x 20 samples are nearest to 64.
  std::vector<Override> divided = long_samples;
  divided.push_back({"workload.training={pipeline: 2, micro_batch: 5}"});
  CHECK(workload_of(loaded(divided, silent)).training.global_batch == 60);
}

// A sample of 1 Mi tokens: 4 of them.
TEST_CASE("a batch is assumed beside a parallelism that is chosen") {
  std::string silent = small_experiment;
  silent.replace(silent.find("{global_batch: 4}"), 17, "{micro_batch: 1}");
  const std::string chosen =
      loaded({{"workload.transformer.sequence=1048576"}, {"platform.npu.memory=1 GB"}}, silent)
          .parallelism_chosen;
  CHECK_THAT(chosen, EndsWith("batch 4 ASSUMED"));
}

TEST_CASE("micro-batch and recomputation stay as the file says") {
  const Experiment experiment =
      loaded({{"workload.training.micro_batch=2"}, {"workload.training.recompute=full"}});
  CHECK_FALSE(experiment.parallelism_chosen.empty());
  CHECK(workload_of(experiment).training.micro_batch == 2);
  CHECK(workload_of(experiment).training.recompute == Recompute::full);
  CHECK(origin_of(experiment, "micro_batch") != "chosen");
}

// Four samples of each of 4 ranks: micro-batches of 4 start a fourth of the kernels that those of 1
// do, and kernels take no time beside their start. 26.29 kB fit into nine tenths of 30 kB.
TEST_CASE("micro-batches of one, two and four are compared") {
  const std::vector<Override> launches{{"platform.npu.memory=30000 B"},
                                       {"platform.npu.efficiency={launch: 100 us}"},
                                       {"workload.training.global_batch=16"}};
  const Experiment four = loaded(launches);
  CHECK(workload_of(four).training.micro_batch == 4);
  CHECK_THAT(four.parallelism_chosen, StartsWith("tp1 pp1 dp4 mb4 zero3"));
  std::vector<Override> fixed = launches;
  fixed.push_back({"workload.training.micro_batch=1"});
  CHECK(simulate(loaded(fixed)).finish > simulate(four).finish * 3);
}

// 6 samples are none of a multiple of 4 ranks; 2 x 3 pipelines are.
TEST_CASE("what data parallelism may not be, another configuration is") {
  const Experiment experiment =
      loaded({{"workload.training.global_batch=6"}, {"platform.npu.memory=1 GB"}});
  CHECK(workload_of(experiment).training.data == 2);
  CHECK_FALSE(experiment.parallelism_chosen.empty());
}

// 1,832 parameters of 18 B among 4 NPUs are 8,244 B each, whatever the division.
TEST_CASE("what fits nowhere gets what needs least memory, with the notice of how many NPUs do") {
  const Experiment experiment = loaded({{"platform.npu.memory=6 kB"}});
  const TransformerTraining& training = workload_of(experiment).training;
  CHECK_THAT(experiment.parallelism_chosen, EndsWith(", least memory"));
  CHECK(training.recompute == Recompute::full);
  CHECK((training.data == 1 || training.sharding == Sharding::zero3));
  const auto notices = memory_notices(experiment);
  REQUIRE(notices.size() == 1);
  CHECK_THAT(notices[0], Contains("the model does not fit") &&
                             Contains("sharded over all 4 NPUs") && Contains(": use ") &&
                             !Contains("or more"));
}

// Activations alone need more than that on any number of NPUs.
TEST_CASE("where no number of NPUs does, the notice does not name one") {
  const auto notices = memory_notices(loaded({{"platform.npu.memory=100 B"}}));
  REQUIRE(notices.size() == 1);
  CHECK_THAT(notices[0], Contains("use devices with more memory, or shorter sequences"));
}

// Two jobs of half the NPUs each: the first has the batch and the division of 2 NPUs.
TEST_CASE("each of several jobs gets a batch and a parallelism of its own") {
  std::string jobs = small_experiment;
  const std::size_t workload = jobs.find("workload:");
  const std::string model =
      "transformer: {layers: 2, hidden: 8, heads: 2, vocabulary: 16, sequence: 1048576, "
      "tied_embeddings: false}";
  jobs.replace(workload, std::string::npos,
               "workload:\n  jobs:\n    - {name: a, npus: 0..1, " + model +
                   "}\n    - {name: b, npus: 2-3, " + model + ", training: {tensor: 2}}\n");
  const Experiment experiment = loaded({{"platform.npu.memory=1 GB"}}, jobs);
  const auto& both = std::get<JobsSpec>(experiment.workload.what).jobs;
  REQUIRE(both.size() == 2);
  const auto& first = std::get<TransformerWorkload>(both[0].workload.what).training;
  const auto& second = std::get<TransformerWorkload>(both[1].workload.what).training;
  CHECK(first.tensor * first.pipeline * first.data == 2);
  CHECK(first.global_batch == 4);
  CHECK(second.tensor == 2);
  CHECK_THAT(experiment.parallelism_chosen,
             StartsWith("a: ") && Contains("; b: ") &&
                 EndsWith("batch 4 ASSUMED; each as if it were alone"));
}

// On a ring of four, a group of four sends both ways; on a ring of 16 it is a line, whose links
// carry twice as much each way. So a group of four goes along the dimension of four, wherever the
// file has it, as frameworks lay the axis of a mesh along it. Where the file speaks of the
// dimensions one by one, or of the parallelism, ranks go as it says.
TEST_CASE("ranks go first along the dimension of a torus that suits what is chosen") {
  const auto on = [](const std::string& sizes, const std::string& more = "") {
    return loaded({}, "platform: {npu: tpu-v5p, torus: " + sizes +
                          "}\nworkload: {model: llama-3-70b" + more + "\n");
  };
  const auto sizes_of = [](const Experiment& experiment) {
    std::vector<std::int32_t> sizes;
    for (const LevelSpec& level : experiment.topology.levels) sizes.push_back(level.size);
    return sizes;
  };
  const Experiment turned = on("16x4", "}"), as_is = on("4x16", "}");
  CHECK(sizes_of(turned) == std::vector<std::int32_t>{4, 16});
  CHECK(sizes_of(as_is) == std::vector<std::int32_t>{4, 16});
  CHECK(workload_of(turned).training.tensor == 4);
  CHECK_THAT(turned.parallelism_chosen, StartsWith("tp4 pp1 dp16 mb1 zero3 along 4x16, best of "));
  CHECK_THAT(as_is.parallelism_chosen, StartsWith("tp4 pp1 dp16 mb1 zero3, best of "));
  const auto of_sizes =
      std::ranges::find(turned.resolved, "platform.topology.torus.sizes", &ResolvedValue::path);
  REQUIRE(of_sizes != turned.resolved.end());
  CHECK(of_sizes->origin == "chosen");
  const RunResult of_turned = simulate(turned), of_as_is = simulate(as_is);
  CHECK(of_turned.finish == of_as_is.finish);
  for (const char* more : {"}\nsystem: {chunks: 4}", "}\nnetwork: {routing: {policy: spray}}",
                           ", training: {tensor: 4, global_batch: 512}}"})
    CHECK(sizes_of(on("16x4", more)) == std::vector<std::int32_t>{16, 4});
  CHECK(sizes_of(on("{sizes: [16, 4], bandwidth: [90 GB/s, 80 GB/s]}", "}")) ==
        std::vector<std::int32_t>{16, 4});
}
