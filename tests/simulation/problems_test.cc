// An experiment that no file holds is checked like one that a file holds.
#include "simulation/problems.h"

#include <catch2/catch.hpp>

#include "core/base/config_error.h"
#include "simulation/simulate.h"

using namespace orrery;
using Catch::Contains;

namespace {

// Four NPUs sum 1 MiB.
Experiment all_reduce() {
  Experiment experiment;
  experiment.topology.levels = {
      {"node", LevelKind::switched, 2, gigabytes_per_second(10), microseconds(1), Scope::local},
      {"fabric", LevelKind::switched, 2, gigabytes_per_second(1), microseconds(1)}};
  ProgramSpec::Step step{};
  step.operation.what = CollectiveCall{Collective::all_reduce, 0, mebibytes(1), {}, {}};
  step.wait = true;
  ProgramSpec program;
  program.parts = {{{}, {step}}};
  experiment.workload.what = std::move(program);
  return experiment;
}

std::string keys(const Experiment& experiment) {
  std::string keys;
  for (const SpecProblem& problem : problems_of(experiment))
    keys += (keys.empty() ? "" : " ") + problem.key;
  return keys;
}

}  // namespace

TEST_CASE("an experiment that obeys all rules is simulated") {
  CHECK(keys(all_reduce()) == "");
  CHECK(simulate(all_reduce()).finish > Duration{});
}

TEST_CASE("an experiment has the problems of all its parts") {
  Experiment experiment = all_reduce();
  StragglerSpec straggler;
  straggler.ranks = {4};
  straggler.slowdown = 2;
  experiment.npu.variation.stragglers = {straggler};
  experiment.system.queue_limit = 0;
  experiment.network.credit.buffer = bytes(1);
  experiment.workload.iterations = 0;
  CHECK(keys(experiment) ==
        "platform.npu.stragglers[0].ranks system.queue_limit network.credit.buffer "
        "workload.iterations");
  experiment.topology.levels[0].size = 1;
  CHECK(keys(experiment) == "platform.topology.levels[0].size");
}

TEST_CASE("a model wants a device that it is timed on") {
  Experiment experiment = all_reduce();
  StackTraining training;
  training.layers = {{"one", 8, 8}};
  experiment.workload.what = training;
  CHECK(keys(experiment) == "platform.npu");
  experiment.npu.peak = FlopRate{1'000'000'000'000};
  CHECK(keys(experiment) == "");
}

TEST_CASE("an experiment with a problem is refused before it is simulated") {
  Experiment experiment = all_reduce();
  experiment.system.queue_limit = 0;
  CHECK_THROWS_AS(simulate(experiment), ConfigError);
  CHECK_THROWS_WITH(simulate(experiment), Contains("system.queue_limit: 0 is out of range: it must "
                                                   "be at least 1"));
}

// A rank holds its queues from the beginning: 2^31 of them were out of memory, not a mistake.
TEST_CASE("a level has as many queues as calls can have chunks, not any number") {
  Experiment experiment = all_reduce();
  experiment.system.queues_per_level = 1024;
  CHECK(keys(experiment) == "");
  experiment.system.queues_per_level = 1025;
  CHECK(keys(experiment) == "system.queues_per_level");
}
