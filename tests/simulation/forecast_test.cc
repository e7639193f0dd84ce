// What a run will cost, before it begins.
#include <catch2/catch.hpp>
#include <fstream>
#include <utility>

#include "frontends/yaml/load_experiment.h"
#include "network/spread_links.h"
#include "simulation/experiment.h"
#include "simulation/simulate.h"
#include "tests/paths.h"
#include "tests/simulation/rings.h"
#include "workload/job_stopped.h"

namespace orrery {
namespace {

// An all-reduce of 1 MiB round a ring, in 16 chunks, which all divide.
Experiment all_reduce(std::int32_t ranks, Duration latency) {
  Experiment experiment;
  experiment.name = "ring";
  use_rings(experiment.system, 16);
  experiment.topology.levels = {
      {"fabric", LevelKind::switched, ranks, gigabytes_per_second(25), latency, Scope::scale_out}};
  ProgramSpec::Step step{};
  step.operation.what = CollectiveCall{Collective::all_reduce, 0, mebibytes(1), {}, {}};
  step.wait = true;
  ProgramSpec program;
  program.parts = {{{}, {step}}};
  experiment.workload.what = std::move(program);
  return experiment;
}

// A rank of a ring of 64 sends 2 x 63 messages for each chunk. One rank stands for all.
TEST_CASE("a forecast counts the messages of the ranks that are simulated") {
  const Forecast folded = forecast_of(all_reduce(64, microseconds(1)));
  CHECK(folded.unfolded_because == "");
  CHECK(folded.simulated == 1);
  CHECK(folded.messages == 2 * 63 * 16);
  CHECK(folded.remedy == "");
  // Without a latency nothing folds.
  const Forecast all = forecast_of(all_reduce(64, {}));
  CHECK(all.simulated == 64);
  CHECK(all.messages == 64 * 2 * 63 * 16);
}

// 4,096 x 2 x 4,095 x 16 messages are 537 million.
TEST_CASE("the forecast of a long run says what would shorten it") {
  const Forecast forecast = forecast_of(all_reduce(4096, {}));
  CHECK(forecast.messages == 536'739'840);
  CHECK(forecast.cpu_s > kLongRun);
  CHECK(forecast.remedy ==
        "every rank is simulated, because fabric has no latency; all_reduce of 1.049 MB by ring "
        "sends 100 % of the messages: faster with fewer chunks or an algorithm of fewer steps "
        "(algorithms: auto)");
}

// A message to another pod of a fat tree of radix 8 is on the ways to 4 switches of its pod and on
// to 16 of the core, and down again: 2 (4 + 16) links, and those of both NPUs: 42. In its pod it is
// 10, at its leaf 2. Of every second NPU after NPU 0 two are at its leaf, six in its pod, 56
// beyond: (2 x 2 + 6 x 10 + 56 x 42) / 64 = 37.75. To find out who stands for whom the ways of 128
// x 127 pairs are compared, 0.13 us for each link: 79.8 ms (the run takes 90). An eighth of the
// messages is simulated, 2,032 of 2 us.
TEST_CASE("a forecast counts the paths that are compared where messages take all of them") {
  const std::string file = build_folder() + "/forecast_test.yaml";
  std::ofstream(file) << "platform: {topology: {fat_tree: {radix: 8, bandwidth: 100 Gb/s}}}\n"
                         "network: {backend: fluid}\n"
                         "system: {algorithms: direct, chunks: 1}\n"
                         "workload: {program: [{operations: [{all_to_all: 16 MB}]}]}\n";
  const Experiment experiment = load_experiment(file, {});
  CHECK(spread_links(Topology(experiment.topology), experiment.network.routing) == Approx(37.75));
  const Forecast forecast = forecast_of(experiment);
  CHECK(forecast.messages == 16 * 127);
  CHECK(forecast.cpu_s == Approx(37.75 * 128 * 127 * 0.13e-6 + 2032 * 2e-6));
}

// Looked at are two iterations. 2,000,000 of them, written down, would take 4 GB.
TEST_CASE("a forecast of many iterations is that of few, times their number") {
  Experiment experiment = all_reduce(64, microseconds(1));
  for (const std::int32_t iterations : {1, 2, 3, 2'000'000}) {
    experiment.workload.iterations = iterations;
    CHECK(forecast_of(experiment).messages == std::int64_t{iterations} * 2 * 63 * 16);
  }
}

// Each of them would take 4 GB as well. Two ranks of a job send 2 x (2 - 1) messages of each of 16
// chunks in an iteration, and no rank stands for another one.
TEST_CASE("a forecast looks at few iterations of each job, and adds up the jobs") {
  Experiment experiment = all_reduce(4, microseconds(1));
  WorkloadSpec of_one = experiment.workload;
  of_one.iterations = 2'000'000;
  JobsSpec jobs;
  jobs.jobs = {{"a", {0, 1}, {}, of_one}, {"b", {2, 3}, {}, of_one}};
  experiment.workload.what = std::move(jobs);
  constexpr std::int64_t of_iteration = 2 * 2 * 16;
  CHECK(forecast_of(experiment).messages == 2 * 2'000'000 * of_iteration);
  auto& second = std::get<JobsSpec>(experiment.workload.what).jobs[1].workload;
  second.iterations = 1;
  CHECK(forecast_of(experiment).messages == 2'000'001 * of_iteration);
}

// Ranks 0 and 1 of a job on NPUs 1 and 3: what they send to each other crosses the outer level.
TEST_CASE("messages of a job are those between its NPUs") {
  Experiment experiment = all_reduce(2, microseconds(1));
  LevelSpec outer = experiment.topology.levels[0];
  outer.name = "outer";
  experiment.topology.levels.push_back(outer);
  experiment.network.backend = "packet";
  ProgramSpec exchange;
  for (const Rank rank : {0, 1}) {
    ProgramSpec::Step send{}, receive{};
    send.operation.what = SendCall{1 - rank, mebibytes(1)};
    receive.operation.what = ReceiveCall{1 - rank, mebibytes(1)};
    exchange.parts.push_back({{rank}, {send, receive}});
  }
  WorkloadSpec of_job;
  of_job.what = std::move(exchange);
  JobsSpec jobs;
  jobs.jobs = {{"a", {1, 3}, {}, of_job}};
  experiment.workload.what = std::move(jobs);
  const Forecast forecast = forecast_of(experiment);
  CHECK(forecast.messages == 2);
  CHECK(forecast.in_packets == TotalBytes(mebibytes(1)) * 2);
}

// 20,000 iterations have 20,000 labels and 40,000 operations: asked at one and at two of them,
// after once at the beginning.
TEST_CASE("a long job can be stopped while it is written down") {
  Experiment experiment = all_reduce(2, microseconds(1));
  experiment.workload.iterations = 20'000;
  int asked = 0;
  SimulateOptions options;
  options.stop = [&asked] { return ++asked == 4; };
  CHECK_THROWS_AS(simulate(experiment, options), JobStopped);
  CHECK(asked == 4);
}

// At the beginning, when everything is made, and when the forecast is: platforms of millions of
// NPUs take seconds for each.
TEST_CASE("a run can be stopped before its first event") {
  for (int question = 1; question <= 3; ++question) {
    int asked = 0;
    SimulateOptions options;
    options.stop = [&] { return ++asked == question; };
    CHECK_THROWS_AS(simulate(all_reduce(2, microseconds(1)), options), JobStopped);
  }
}

}  // namespace
}  // namespace orrery
