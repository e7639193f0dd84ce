// Settings of a training that change nothing, or that no library would follow, said in words.
#include "simulation/result/training_notices.h"

#include <catch2/catch.hpp>
#include <memory>

#include "system/npu_presets.h"
#include "tests/simulation/rings.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

Experiment experiment(const TransformerWorkload& workload) {
  Experiment result;
  result.workload.what = workload;
  return result;
}

}  // namespace

TEST_CASE("selective recomputation is said to be without effect on a flash kernel") {
  TransformerWorkload workload;
  CHECK(training_notices(experiment(workload)).empty());
  workload.training.recompute = Recompute::selective;
  const auto notices = training_notices(experiment(workload));
  REQUIRE(notices.size() == 1);
  CHECK_THAT(notices[0], Contains("recompute: selective") && Contains("attention: unfused"));
  workload.model.attention = AttentionKernel::unfused;
  CHECK(training_notices(experiment(workload)).empty());
}

// Without the wait at the end of an iteration the first stage begins the next one: there is none.
TEST_CASE("post-validation is said to be without effect in one iteration") {
  TransformerWorkload workload;
  workload.training.post_validation = true;
  Experiment one = experiment(workload);
  REQUIRE(training_notices(one).size() == 1);
  CHECK_THAT(training_notices(one)[0], Contains("post_validation: true changes nothing in one "
                                                "iteration") &&
                                           Contains("write iterations: 4"));
  one.workload.iterations = 2;
  CHECK(training_notices(one).empty());
}

TEST_CASE("switches that add are said to be idle where no collective uses them") {
  Experiment idle;
  idle.topology.levels.resize(2);
  idle.topology.levels[0].in_network_reduction = true;
  ResolvedValue written;
  written.path = "platform.topology.levels[0].in_network_reduction";
  written.value = "true";
  written.origin = "a.yaml:3";
  idle.resolved = {written};
  REQUIRE(training_notices(idle).size() == 1);
  CHECK_THAT(training_notices(idle)[0],
             Contains("levels[0].in_network_reduction has no effect") &&
                 Contains("write system.algorithms: [in_network, ring]"));
  Experiment used = idle;
  used.system.collectives[0].algorithms = {"in_network", "ring"};
  CHECK(training_notices(used).empty());
  idle.resolved[0].origin = "orrery:platforms/hgx-h100.yaml:9";
  CHECK(training_notices(idle).empty());
}

// 100 % of the peak is what a processor has of which nobody says what it reaches.
TEST_CASE("a training at the peak of the data sheet is said to be too fast") {
  Experiment at_peak = experiment(TransformerWorkload{});
  at_peak.npu.peak = teraflops_per_second(989);
  REQUIRE(training_notices(at_peak).size() == 1);
  CHECK_THAT(training_notices(at_peak)[0], Contains("platform.npu.efficiency"));
  Experiment dlrm = at_peak;
  dlrm.workload.what = DlrmSpec{};
  CHECK(training_notices(dlrm).empty());
  Experiment asked_for = at_peak;
  asked_for.npu.efficiency_in_force.name = "none";
  CHECK(training_notices(asked_for).empty());
  at_peak.npu.efficiency.matrix = {70, 100};
  CHECK(training_notices(at_peak).empty());
}

// A fat tree of servers with one NPU each; a level inside of servers ends the notice.
TEST_CASE("tensor parallelism between servers is pointed out") {
  TransformerWorkload workload;
  workload.training.tensor = 8;
  Experiment flat = experiment(workload);
  flat.topology.levels.resize(1);
  CHECK(training_notices(flat).empty());  // levels that the user wrote himself
  flat.topology.graph = std::make_shared<const GraphSpec>();
  REQUIRE(training_notices(flat).size() == 1);
  CHECK_THAT(training_notices(flat)[0], Contains("node: hgx-h100"));
  flat.topology.levels.resize(2);
  flat.topology.levels[0].scope = Scope::local;
  CHECK(training_notices(flat).empty());
}

// Nobody names an algorithm: one is chosen that suits.
TEST_CASE("all-to-alls round a ring are named, where a training has any") {
  TransformerWorkload workload;
  workload.training.context = 2;
  CHECK(
      training_notices(experiment(workload)).empty());  // keys and values go round, which is meant
  workload.training.context_method = ContextMethod::ulysses;
  CHECK(training_notices(experiment(workload)).empty());
  Experiment round_rings = experiment(workload);
  use_rings(round_rings.system, 1);
  CHECK(training_notices(round_rings).size() == 1);
  workload.training.context = 1;
  workload.training.experts.parallel = 2;
  Experiment two = experiment(workload);
  use_rings(two.system, 1);
  REQUIRE(training_notices(two).size() == 1);
  CHECK_THAT(training_notices(two)[0], Contains("all_to_all: {algorithms: direct}"));
  two.system.collectives[static_cast<int>(Collective::all_to_all)].algorithms = {"direct"};
  CHECK(training_notices(two).empty());
}

TEST_CASE("notices of several jobs name theirs") {
  TransformerWorkload workload;
  workload.training.recompute = Recompute::selective;
  JobsSpec jobs;
  PlacedWorkload& job = jobs.jobs.emplace_back();
  job.name = "left";
  job.workload.what = workload;
  Experiment several;
  several.workload.what = jobs;
  REQUIRE(training_notices(several).size() == 1);
  CHECK_THAT(training_notices(several)[0], Contains("job left: "));
}

// The rate of 8-bit products that a data sheet gives is no surprise, another one may be that in 16
// bits. A preset has none that is written.
TEST_CASE("a written peak beside 8-bit products is said to be that of those") {
  TransformerWorkload workload;
  workload.model.eight_bit_products = true;
  Experiment written = experiment(workload);
  written.npu.efficiency_in_force.name = "none";
  written.npu.peak = teraflops_per_second(989);
  written.npu.preset = "h100";
  CHECK(training_notices(written).empty());
  written.resolved = {{"platform.npu.peak", "989 TFLOP/s", "fp8.yaml:2", ""}};
  REQUIRE(training_notices(written).size() == 1);
  CHECK_THAT(training_notices(written)[0], Contains("if 989 TFLOP/s is that in 16 bits"));
  written.npu.peak = find_npu_preset("h100")->eight_bit_peak;
  CHECK(training_notices(written).empty());
}

// 8 experts of 4,096 columns on 8 x 2 ranks: tensors of 8 divide the columns, and 2 x 8 ranks are
// one whole stage.
TEST_CASE("experts that tensors do not divide are pointed out, with the key that divides them") {
  TransformerWorkload workload;
  workload.model.layers = 2;
  workload.model.hidden = 1'024;
  workload.model.heads = 16;
  workload.model.feed_forward = 4'096;
  workload.model.vocabulary = 32'000;
  workload.model.sequence = 1'024;
  workload.model.element = Bytes{2};
  workload.model.experts.count = 8;
  workload.model.experts.top_k = 2;
  workload.training.tensor = 8;
  workload.training.data = 2;
  workload.training.sequence_parallel = true;
  workload.training.global_batch = 16;
  workload.training.experts.parallel = 2;
  Experiment written = experiment(workload);
  written.topology.levels = {
      {"node", LevelKind::switched, 8, gigabytes_per_second(450), nanoseconds(500), Scope::local},
      {"fabric", LevelKind::switched, 2, gigabytes_per_second(50), nanoseconds(500)}};
  CHECK(training_notices(written).empty());  // a choice, and no mistake of the user's
  written.resolved = {{"workload.training.tensor", "8", "moe.yaml:3", ""}};
  REQUIRE(training_notices(written).size() == 1);
  CHECK_THAT(training_notices(written)[0],
             Contains("tensor: 8 does not divide the experts") &&
                 Contains("write expert_tensor: 8 to divide them too"));
  written.resolved.push_back({"workload.training.expert_tensor", "1", "moe.yaml:4", ""});
  CHECK(training_notices(written).empty());
}
