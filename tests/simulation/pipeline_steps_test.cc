// The steps of the stages of a pipeline: which micro-batch is where, and when.
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "simulation/simulate.h"
#include "tests/simulation/small_jobs.h"

using namespace orrery;

namespace {

TransformerTraining four_stages(PipelineSchedule schedule) {
  TransformerTraining training;
  training.pipeline = 4;
  training.data = 2;
  training.schedule = schedule;
  return training;
}

TransformerTraining two_groups() {
  TransformerTraining training;
  training.tensor = 4;
  training.data = 2;
  return training;
}

RunResult simulated(const Experiment& experiment, bool fold = true) {
  SimulateOptions options;
  options.fold = fold;
  options.page = true;
  return simulate(experiment, options);
}

// "F0F1B0...", by stage.
std::map<std::int32_t, std::string> orders(const RunResult& result) {
  std::map<std::int32_t, std::string> of_stage;
  for (const StepRow& step : result.steps) {
    const std::string letter = step.kind == StageStep::forward     ? "F"
                               : step.kind == StageStep::optimizer ? "O"
                                                                   : "B";
    of_stage[step.stage] +=
        letter + (step.kind == StageStep::optimizer ? "" : std::to_string(step.micro_batch));
  }
  return of_stage;
}

}  // namespace

// 4 stages, 4 micro-batches, one forward and one backward (Narayanan et al., SC'21, figure 4):
// stage s begins with 3 - s forward passes, then does one of each in turn, then the backward passes
// that are left.
TEST_CASE("the steps of one forward, one backward come in the order of the paper") {
  const RunResult result = simulated(
      with_transformer(four_stages(PipelineSchedule::one_forward_one_backward), 1'000, 1'000));
  CHECK(orders(result) == std::map<std::int32_t, std::string>{{0, "F0F1F2F3B0B1B2B3O"},
                                                              {1, "F0F1F2B0F3B1B2B3O"},
                                                              {2, "F0F1B0F2B1F3B2B3O"},
                                                              {3, "F0B0F1B1F2B2F3B3O"}});
}

// A rank computes in steps only, and waits for nothing else in them: what is left of a step without
// its waiting is computing, and all of it.
TEST_CASE("what a stage computes is in its steps, and none begins before the one before it ends") {
  using enum PipelineSchedule;
  for (const PipelineSchedule schedule : {gpipe, one_forward_one_backward, zb_h1, dualpipe}) {
    Experiment experiment = with_transformer(four_stages(schedule), 20, 5);
    std::get<TransformerWorkload>(experiment.workload.what).training.global_batch = 16;
    const RunResult result = simulated(experiment, /*fold=*/false);
    std::map<std::int32_t, Duration> computed, until;
    for (const StepRow& step : result.steps) {
      CHECK(step.begin >= until[step.rank]);
      CHECK(step.end >= step.begin);  // the optimizer takes no time here
      until[step.rank] = step.end;
      computed[step.rank] += step.end - step.begin - step.exposed;
    }
    REQUIRE(computed.size() == 4);
    for (const auto& [rank, time] : computed)
      CHECK(time == result.ranks.at(static_cast<std::size_t>(rank)).compute);
  }
}

// A micro-batch cannot be in a stage before it was in the one before it.
TEST_CASE("a micro-batch passes through the stages one after the other") {
  const RunResult result =
      simulated(with_transformer(four_stages(PipelineSchedule::one_forward_one_backward), 20, 5));
  std::map<std::int32_t, Duration> ended;  // by micro-batch, in the stage before
  for (const StepRow& step : result.steps) {
    if (step.kind != StageStep::forward) continue;
    CHECK(step.begin >= ended[step.micro_batch]);
    ended[step.micro_batch] = step.end;
  }
}

TEST_CASE("steps are of the first iteration, folded or not, and only if they are asked for") {
  Experiment experiment =
      with_transformer(four_stages(PipelineSchedule::one_forward_one_backward), 20, 5);
  const RunResult one = simulated(experiment);
  CHECK(orders(simulated(experiment, false)) == orders(one));
  experiment.workload.iterations = 3;
  CHECK(orders(simulated(experiment)) == orders(one));
  CHECK(simulate(experiment).steps.empty());
  CHECK(simulated(with_transformer(two_groups(), 20, 5)).steps.empty());
}
