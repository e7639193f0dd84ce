// What does not fit into memory is not the fastest, and says so.
#include "simulation/memory_fit.h"

#include <catch2/catch.hpp>

#include "report/json_report.h"
#include "report/memory_text.h"
#include "simulation/result/faster_trainings.h"
#include "simulation/search/fitting.h"
#include "simulation/simulate.h"
#include "simulation/what_if.h"
#include "tests/simulation/known_causes.h"

namespace orrery {
namespace {

using Catch::Contains;
using Catch::StartsWith;
using namespace known_causes;

RunResult run_of(const char* name, Duration finish, Bytes memory) {
  RunResult result;
  result.name = name;
  result.finish = finish;
  result.memory.emplace_back().total = memory;
  result.npu_memory = Bytes{80'000'000'000};
  return result;
}

const Alternative* alternative(const std::vector<Alternative>& all, const char* begin) {
  const auto found = std::ranges::find_if(
      all, [&](const Alternative& one) { return one.change.starts_with(begin); });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

// 3 s of 90 GB do not fit into 80; 4 s of 80 GB do, and 6 s are 1.5 times those.
TEST_CASE("the fastest of a comparison is one that fits") {
  const std::vector<RunResult> runs{run_of("large", milliseconds(3'000), Bytes{90'000'000'000}),
                                    run_of("full", milliseconds(4'000), Bytes{80'000'000'000}),
                                    run_of("small", milliseconds(6'000), Bytes{20'000'000'000})};
  CHECK(ratio_to_fastest(runs[0], runs) == 0.75);
  CHECK(ratio_to_fastest(runs[1], runs) == 1);
  CHECK(ratio_to_fastest(runs[2], runs) == 1.5);
  std::vector<RunResult> parts = runs;
  for (RunResult& run : parts) {
    TimePart& part = run.why.emplace_back();
    part.part = "compute";
    part.time = run.finish;
  }
  add_differences(parts);
  CHECK(parts[1].difference.empty());
  CHECK(parts[0].difference.size() == 1);
  CHECK(memory_cell(runs[0]) == "90 GB, does not fit");
  CHECK(memory_cell(runs[1]) == "80 GB");
  CHECK(without_room_text(runs) ==
        "large DOES NOT FIT: 90 GB of 80 GB of memory, so it is not the fastest whatever its "
        "time\n");
  CHECK_THAT(comparison_json(runs, {}), Contains("\"without_room\": [\n    \"large\"\n  ]"));
  // Where nothing fits, the times are still compared.
  CHECK(ratio_to_fastest(runs[0], std::span(runs).first(1)) == 1);
}

// GPipe keeps all micro-batches: twice as many need more than the four for which there is room.
TEST_CASE("a change for which the memory has no room says so") {
  Experiment experiment = bubble_only(4);
  transformer_of(experiment).training.schedule = PipelineSchedule::gpipe;
  const RunResult result = simulate(experiment);
  experiment.npu.memory = most_memory(transformer_of(experiment));
  experiment.npu.reserve = Bytes{};
  const char* row = "micro-batches x 2, time for as many samples";
  const auto full = alternatives(experiment, result);
  REQUIRE(alternative(full, row) != nullptr);
  CHECK_THAT(alternative(full, row)->change, Contains("; DOES NOT FIT: "));
  REQUIRE(alternative(full, "fabric: bandwidth x 2") != nullptr);
  CHECK(alternative(full, "fabric: bandwidth x 2")->change == "fabric: bandwidth x 2");
  *experiment.npu.memory = *experiment.npu.memory * 2;
  const auto roomy = alternatives(experiment, result);
  REQUIRE(alternative(roomy, row) != nullptr);
  CHECK(alternative(roomy, row)->change == row);
}

// 8 ranks gather 100 M parameters after the step, which the next forward pass can hide: a row where
// zero1 divides them. zero3 gathers beside its passes anyway, and without sharding nothing is.
TEST_CASE("gathering parameters beside the forward pass is a row where it is allowed") {
  TransformerTraining training;
  training.data = 8;
  training.sharding = Sharding::zero1;
  Experiment experiment = with_transformer(training, 1'000, 100);
  const RunResult result = simulate(experiment);
  const char* row = "parameters gathered beside forward passes (training.overlap_parameters)";
  const auto changes = alternatives(experiment, result);
  REQUIRE(alternative(changes, row) != nullptr);
  CHECK(simulate(alternative(changes, row)->experiment).finish < result.finish);
  for (const Sharding other : {Sharding::none, Sharding::zero3}) {
    transformer_of(experiment).training.sharding = other;
    CHECK_FALSE(with_overlapped_parameters(experiment).has_value());
  }
}

}  // namespace orrery
