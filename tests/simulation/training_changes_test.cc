// Changes of a training's settings among those of --what-if.
#include <algorithm>
#include <catch2/catch.hpp>

#include "simulation/search/fitting.h"
#include "simulation/simulate.h"
#include "simulation/what_if.h"
#include "tests/simulation/small_jobs.h"

namespace orrery {
namespace {

Experiment eight_ranks() {
  Experiment result = tiny_transformer();
  result.npu.peak = teraflops_per_second(100);
  return result;
}

bool has_change(const Experiment& experiment, const std::string& change) {
  const auto all = alternatives(experiment, simulate(experiment));
  return std::ranges::find(all, change, &Alternative::change) != all.end();
}

}  // namespace

TEST_CASE("what if: all-to-alls of experts beside computing") {
  const std::string change = "all-to-alls beside computing (training.overlap_experts)";
  Experiment experiment = eight_ranks();
  CHECK_FALSE(has_change(experiment, change));
  add_experts(experiment);
  CHECK(has_change(experiment, change));
  transformer_of(experiment).training.experts.overlap_batches = true;
  CHECK_FALSE(has_change(experiment, change));
}

// Two nodes of four ranks, with an expert each; a token goes to four of the eight. Two of its
// copies cross on average. Node by node one crosses unless all four are inside, 1 of C(8,4) = 70
// choices: (1 - 1/70) of one. All-to-alls are most of what waits for the fabric, and their time
// there is (69/70) / 2 = 0.493 of what it was.
TEST_CASE("dispatch by node is named first, and halves what waits for the fabric") {
  const std::string change = "one copy of a token to each node (training.dispatch: by_node)";
  TransformerTraining training;
  training.data = 8;
  Experiment experiment = with_transformer(training, 10'000, 10);
  CHECK_FALSE(has_change(experiment, change));
  add_experts(experiment);
  transformer_of(experiment).model.experts.top_k = 4;
  const auto waits = [](const RunResult& result) {
    const auto part = std::ranges::find_if(
        result.why, [](const TimePart& one) { return one.part == "EP" && one.level == "fabric"; });
    REQUIRE(part != result.why.end());
    return *part;
  };
  const TimePart direct = waits(simulate(experiment));
  CHECK(direct.knob.starts_with("training.dispatch: by_node (DeepEP), or more bandwidth"));
  const auto all = alternatives(experiment, simulate(experiment));
  const auto found = std::ranges::find(all, change, &Alternative::change);
  REQUIRE(found != all.end());
  const TimePart by_node = waits(simulate(found->experiment));
  CHECK(by_node.knob.find("dispatch") == std::string::npos);
  CHECK(static_cast<double>(by_node.bandwidth.value) ==
        Approx(69.0 / 140 * static_cast<double>(direct.bandwidth.value)).epsilon(0.01));
  // Not of ranks of one node.
  transformer_of(experiment).training.experts.parallel = 4;
  CHECK_FALSE(has_change(experiment, change));
}

// Without a pipeline there is no bubble that grows; with one sample left to a rank, nothing to
// join.
TEST_CASE("what if: larger micro-batches, or that they have no room") {
  const std::string change = "micro-batches twice as large, half as many";
  Experiment experiment = eight_ranks();
  experiment.npu.memory_bandwidth = gigabytes_per_second(100);
  CHECK(has_change(experiment, change));
  const auto row = [&] {
    const auto all = alternatives(experiment, simulate(experiment));
    const auto found = std::ranges::find_if(
        all, [&](const Alternative& one) { return one.change.starts_with(change); });
    REQUIRE(found != all.end());
    return found->change;
  };
  experiment.npu.memory = most_memory(transformer_of(experiment));
  CHECK(row().starts_with(change + "; DOES NOT FIT: "));
  TransformerWorkload larger = transformer_of(experiment);
  larger.training.micro_batch *= 2;
  experiment.npu.memory = most_memory(larger);
  CHECK(row().starts_with(change + "; FITS ONLY WITHOUT FRAGMENTS: "));
  experiment.npu.memory.reset();
  transformer_of(experiment).training.micro_batch = 2;
  CHECK_FALSE(has_change(experiment, change));
}

// Four layers that are computed again: each keeps its input alone, so all that is kept without has
// no room in the memory that the training needs now. It is a row, which says so.
TEST_CASE("what if: no recomputation is listed where it has no room") {
  Experiment experiment = eight_ranks();
  const std::string change = "no recomputation (training.recompute: none)";
  transformer_of(experiment).training.recompute = Recompute::full;
  CHECK(has_change(experiment, change));
  experiment.npu.memory = most_memory(transformer_of(experiment));
  const auto all = alternatives(experiment, simulate(experiment));
  CHECK(std::ranges::any_of(all, [&](const Alternative& one) {
    return one.change.starts_with(change + "; DOES NOT FIT: ");
  }));
}

}  // namespace orrery
