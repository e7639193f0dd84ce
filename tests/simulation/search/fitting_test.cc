// Which configurations are there, are allowed and fit.
#include "simulation/search/fitting.h"
#include "frontends/yaml/searched_experiment.h"

#include <catch2/catch.hpp>

#include "core/base/config_error.h"
#include "report/search_report.h"
#include "simulation/search/search.h"
#include "tests/simulation/search/small_search.h"

using namespace orrery;
using Catch::Contains;

namespace {

FittingChoices found(const std::string& search, std::size_t workers = 1) {
  const SearchFile file(small_experiment + search);
  const SearchedExperiment variants(file.path(), {});
  return fitting_choices(variants, variants.spec(), workers);
}

}  // namespace

// Adam of 12 B a parameter, gradients of 4, weights of 2; activations of a layer 1,024 B, of the
// head 512 B.
//   p = 1  2 x 784 + 128 + 136 = 1,832 parameters: 1,832 x 18 + 2 x 1,024 + 512 = 35,536 B
//          zero1, four ranks: 1,832 x (6 + 3) + 2,560 = 19,048 B
//   p = 2  stage 0, two micro-batches in flight: 912 x 18 + 2 x 1,024 = 18,464 B, the fuller one
//          zero1, two ranks: 912 x 12 + 2,048 = 12,992 B
TEST_CASE("what fits, by hand") {
  const FittingChoices choices = found(
      "search: {tensor: 1, pipeline: [1, 2], micro_batch: 1, schedule: 1f1b, "
      "sharding: [none, zero1], recompute: none}\n");
  CHECK(choices.enumerated == 4);
  CHECK(choices.too_large == 2);
  CHECK(choices.refused.empty());
  REQUIRE(choices.fitting.size() == 2);
  CHECK(choices.fitting[0].memory == Bytes{18'464});
  CHECK(choices.fitting[0].choice.pipeline == 2);
  CHECK(choices.fitting[0].training.data == 2);
  CHECK(choices.fitting[1].memory == Bytes{12'992});
  CHECK(choices.fitting[1].choice.sharding == Sharding::zero1);
  CHECK(choices.smallest_too_large->memory == Bytes{19'048});
  CHECK_THAT(what_fits_text(choices), Contains("2 of 4 configurations fit into 19 kB; 0 are not "
                                               "allowed, 2 are too large"));
}

// Four layers: 4 x 784 + 128 + 136 = 3,400 parameters of 18 B and a head of 512 B, 61,712 B. A
// layer keeps 1,024 B; computed again its input, 4 x 8 x 2 B = 64 B, and while it is, half of it
// (attention or MLP, one after the other) is there: 512 B. None again: 65,808 B. N of them: 61,712
// + 512 + (4 - N) 1,024 + 64 N, which is 65,360 for one, 64,400 for two and 62,480 for all. 68,000
// B are 64,761 and 5 % of fragments: none fits without these alone, and two are the fewest with
// them.
TEST_CASE("between none and full recomputation, the fewest layers again that fit") {
  const auto of_four = [](const std::string& recompute, std::vector<Override> overrides = {}) {
    const SearchFile file(small_experiment +
                          "search: {tensor: 1, pipeline: 1, micro_batch: 1, sharding: none, "
                          "recompute: " +
                          recompute + "}\n");
    overrides.insert(overrides.begin(),
                     {{"workload.transformer.layers=4"}, {"platform.npu.memory=68 kB"}});
    const SearchedExperiment variants(file.path(), overrides);
    return fitting_choices(variants, variants.spec(), 2);
  };
  const FittingChoices choices = of_four("[none, full]");
  CHECK(choices.enumerated == 3);
  REQUIRE(choices.fitting.size() == 3);
  CHECK(choices.fitting[0].memory == Bytes{65'808});
  CHECK(choices.fitting[1].memory == Bytes{62'480});
  CHECK(choices.fitting[2].memory == Bytes{64'400});
  CHECK(choices.fitting[2].training.recompute_layers == 2);
  CHECK(text_of(choices.fitting[2].choice, 4) == "tp1 pp1 dp4 mb1 recompute-first-2");
  CHECK(of_four("full").fitting.size() == 1);
  CHECK(of_four("[none, full]", {{"platform.npu.memory=90 kB"}}).fitting.size() == 2);
  CHECK(of_four("[none, full]", {{"workload.training.recompute_layers=3"}}).fitting.size() == 2);
}

// The same rules as for a file in which the configuration is written.
TEST_CASE("what the frameworks do not allow is counted by the key that is wrong") {
  const FittingChoices choices = found(
      "search: {tensor: [1, 3], pipeline: 2, micro_batch: [1, 4], schedule: 1f1b, "
      "sharding: [none, zero2], recompute: none, overlap_tensor: false}\n");
  CHECK(choices.enumerated == 8);
  CHECK(choices.refused.at("pipeline").count == 4);      // 3 x 2 ranks on 4 NPUs
  CHECK(choices.refused.at("global_batch").count == 2);  // 4 x 2 samples at once, of 4
  CHECK(choices.refused.at("sharding").count == 1);      // zero2 in a pipeline
  CHECK_THAT(choices.refused.at("sharding").example, Contains("DeepSpeed refuses"));
  CHECK(choices.fitting.size() == 1);
}

// 12 NPUs in nodes of 6: a tensor-parallel group of 2 is in one node, and of three groups of 4 the
// second one is in both, which its estimate, of the first one, does not know.
TEST_CASE("groups that lie on the nodes in unequal ways are not searched beside others") {
  std::string sixes = small_experiment;
  sixes.replace(sixes.find("size: 2"), 7, "size: 6");
  const auto searched = [&](const std::string& tensor) {
    const SearchFile file(sixes + "search: {tensor: " + tensor +
                          ", pipeline: 1, micro_batch: 1, sharding: none, recompute: none, "
                          "overlap_tensor: false}\n");
    const SearchedExperiment variants(file.path(), {{"workload.transformer.heads=4"},
                                                    {"workload.training.global_batch=12"},
                                                    {"platform.npu.memory=1 GB"}});
    FittingChoices all = fitting_choices(variants, variants.spec(), 1);
    return estimate_choices(variants, even_ones_of(std::move(all), variants.written().topology), 1);
  };
  const SearchResult two = searched("[2, 4]");
  REQUIRE(two.rows.size() == 1);
  CHECK(two.rows.front().found.choice.tensor == 2);
  CHECK(two.choices.uneven == 1);
  CHECK_THAT(search_text(two, 1), Contains("1  fit, and are left out: their groups lie on the"));
  const SearchResult four = searched("4");
  REQUIRE(four.rows.size() == 1);
  CHECK_THAT(search_text(four, 1), Contains("1  are estimated as if their groups lay on the"));
}

// t: 1, 2 in the node; p: 1, 2 (two layers); micro-batches 1, 2, ..., 128; of p = 2 the orders 1f1b
// and zb-h1 (two chunks of a stage with one layer cannot be); 4 shardings; none and full, because
// `selective` changes nothing with a flash kernel; 2 x 2 leave nothing to shard. Two
// tensor-parallel ranks exchange beside products or not. 8 x 2 x ((1 + 2) x 4 + 2 x (4 + 2)). Twice
// also one layer again of two: of t = d = 2, not sharded, none again needs 18,128 B, that layer
// less 256 - 32 B, and 19,000 B are 18,095 and fragments.
TEST_CASE("what is tried without a word about it") {
  CHECK(found("").enumerated == 384 + 2);
  const FittingChoices one = found("", 1), three = found("", 3);
  CHECK(what_fits_text(one) == what_fits_text(three));
}

TEST_CASE("the file of a choice is the experiment with that choice") {
  const SearchFile file(small_experiment);
  const SearchedExperiment variants(file.path(), {{"workload.iterations=3"}});
  for (const FittingChoice& choice : fitting_choices(variants, variants.spec(), 1).fitting) {
    const SearchFile written(variants.text(choice.choice, choice.training.data, "# found\n"),
                             "written");
    const Experiment read = load_experiment(written.path(), {});
    const auto& workload = std::get<TransformerWorkload>(read.workload.what);
    CHECK(read.workload.iterations == 3);
    CHECK(workload.training.tensor == choice.choice.tensor);
    CHECK(workload.training.pipeline == choice.choice.pipeline);
    CHECK(workload.training.data == choice.training.data);
    CHECK(workload.training.schedule == choice.choice.schedule);
    CHECK(most_memory(workload) == choice.memory);
  }
}

// With one stage it does without keys of pipelines; windows of 2 do not go round a ring.
TEST_CASE("the file of a choice says what the choice changed, and can be read") {
  const SearchFile file(small_experiment + "search: {tensor: 1, pipeline: 1, context: 2}\n");
  const SearchedExperiment variants(file.path(), {{"workload.training.overlap_p2p=false"},
                                                  {"workload.transformer.sliding_window=2"}});
  const FittingChoices choices = fitting_choices(variants, variants.spec(), 1);
  REQUIRE_FALSE(choices.fitting.empty());
  const FittingChoice& first = choices.fitting.front();
  const SearchFile written(variants.text(first.choice, first.training.data, "# found\n"),
                           "written");
  const auto read = load_experiment(written.path(), {});
  CHECK(std::get<TransformerWorkload>(read.workload.what).training.context_method ==
        ContextMethod::all_gather);
}

TEST_CASE("only transformers are searched") {
  const SearchFile file(R"(platform:
  topology: {levels: [{name: x, kind: switch, size: 2, bandwidth: 1 GB/s, latency: 1 us}]}
workload: {program: [{operations: [{all_reduce: 4 MB}]}]}
)");
  CHECK_THROWS_WITH(SearchedExperiment(file.path(), {}), Contains("is no transformer"));
}
