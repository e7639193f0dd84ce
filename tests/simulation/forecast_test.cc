// What a run will cost, before it begins.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <fstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "frontends/yaml/load_experiment.h"
#include "network/spread_links.h"
#include "simulation/experiment.h"
#include "simulation/forecast.h"
#include "simulation/iteration_sums.h"
#include "simulation/make_job.h"
#include "simulation/packet_cost.h"
#include "simulation/simulate.h"
#include "system/rank/work_ahead.h"
#include "tests/paths.h"
#include "tests/simulation/rings.h"
#include "tests/simulation/small_jobs.h"
#include "workload/few_batches.h"
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
// 10, at its leaf 2. Of the NPUs after NPU 0 three are at its leaf, 12 in its pod, 112 beyond: (3 x
// 2 + 12 x 10 + 112 x 42) / 127 = 38.03. To find out who stands for whom the ways of 128 x 127
// pairs are compared, 0.62 us for each, and those between 32 leaves, 0.13 us for each link: 15.1
// ms. An eighth of the messages is simulated, 2,032 of 1.2 us; all of them count as those that go
// farthest, 0.05 us for each link that is found and 0.005 for each that is counted: 7.1 ms.
TEST_CASE("a forecast counts the paths that are compared where messages take all of them") {
  const std::string file = build_folder() + "/forecast_test.yaml";
  std::ofstream(file) << "platform: {topology: {fat_tree: {radix: 8, bandwidth: 100 Gb/s}}}\n"
                         "network: {backend: fluid}\n"
                         "system: {algorithms: direct, chunks: 1}\n"
                         "workload: {program: [{operations: [{all_to_all: 16 MB}]}]}\n";
  const Experiment experiment = load_experiment(file, {});
  const auto spread = spread_links(Topology(experiment.topology), experiment.network.routing);
  CHECK(spread.on_level == std::vector<double>{2, 10, 42});
  CHECK(spread.links == Approx(4'830.0 / 127));
  CHECK(spread.leaves == 32);
  const Forecast forecast = forecast_of(experiment);
  CHECK(forecast.messages == 16 * 127);
  CHECK(forecast.cpu_s == Approx(128 * 127 * 0.62e-6 + 32 * 32 * (4'830.0 / 127) * 0.13e-6 +
                                 2032 * (1.2e-6 + 42 * 0.055e-6)));
}

// The same with start times of their own, so that nobody stands for others: 128 x 127 messages, and
// no ways are compared. Among the four of a leaf, each sends three messages of two links.
TEST_CASE("a forecast counts the links of the level that messages cross") {
  const std::string file = build_folder() + "/forecast_test.yaml";
  const auto cpu_seconds = [&](const char* collective) {
    std::ofstream(file) << "platform: {topology: {fat_tree: {radix: 8, bandwidth: 100 Gb/s}}}\n"
                           "network: {backend: fluid}\n"
                           "system: {algorithms: direct, chunks: 1}\n"
                           "workload: {skew: 1 us, program: [{operations: [{"
                        << collective << "}]}]}\n";
    return forecast_of(load_experiment(file, {})).cpu_s;
  };
  CHECK(cpu_seconds("all_to_all: 16 MB") == Approx(128 * 127 * (1.2e-6 + 42 * 0.055e-6)));
  CHECK(cpu_seconds("all_to_all: 16 MB, over: {count: 4}") ==
        Approx(128 * 3 * (1.2e-6 + 2 * 0.055e-6)));
}

// Each of them takes more than 10 CPU s (above), and two of them twice that; four ranks take none.
TEST_CASE("what many experiments take together is said if it is long") {
  const std::vector<Experiment> two(2, all_reduce(4096, {}));
  const double seconds = forecast_of(two.front()).cpu_s * 2;
  CHECK(work_together(two) ==
        "2 experiments are simulated, some " + cpu_time_text(seconds) + " together");
  CHECK(work_together(std::vector<Experiment>(2, all_reduce(4, {}))).empty());
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

// Pipelines of four stages in all orders, replicas that gather parameters or reduce gradients with
// every micro-batch, and ranks that share the tokens: 328 micro-batches each, two more periods of
// 16 or 20 would be written down for the forecast.
std::vector<TransformerTraining> all_trainings() {
  using enum PipelineSchedule;
  std::vector<TransformerTraining> all;
  for (const PipelineSchedule schedule :
       {one_forward_one_backward, gpipe, interleaved, zb_h1, zb_h2, zbv, dualpipe, dualpipe_v}) {
    TransformerTraining& training = all.emplace_back();
    training.pipeline = 4;
    training.data = 2;
    training.schedule = schedule;
    if (schedule == interleaved) training.chunks = 2;
  }
  all.push_back(all.front());
  all.back().defer_head_gradients = true;
  all.back().deferral_limit = 20;
  for (const Sharding sharding : {Sharding::zero1, Sharding::zero2, Sharding::zero3}) {
    all.emplace_back().data = 8;
    all.back().sharding = sharding;
  }
  all.push_back(all.front());
  all.back().sharding = Sharding::zero3;
  all.emplace_back().tensor = 4;
  all.back().data = 2;
  all.back().sequence_parallel = true;
  all.back().recompute = Recompute::full;
  for (TransformerTraining& training : all)
    training.global_batch = std::int64_t{328} * training.data;
  return all;
}

// The sums are over operations, so that they agree to the byte and the picosecond.
TEST_CASE("a forecast of many micro-batches is that of few, times their number") {
  for (const TransformerTraining& training : all_trainings()) {
    Experiment experiment = with_transformer(training, 10, 1);
    transformer_of(experiment).training = training;
    experiment.workload.iterations = 3;
    INFO(name_of(training.schedule) << ", " << name_of(training.sharding));
    REQUIRE(few_batches(training));
    const Topology topology(experiment.topology);
    const Job job = make_job(experiment, topology);
    CollectiveRecipes recipes(topology, experiment.system, job.communicators);
    const WorkAhead whole = work_ahead(job, topology, {}, recipes);
    const Forecast forecast = forecast_of(experiment);
    CHECK(forecast.unfolded_because == "node has no latency");
    CHECK(forecast.messages == whole.messages);

    Selection selection(topology, experiment.system);
    const IterationSums sums = iteration_sums(experiment, topology, selection);
    const Job once = make_job(experiment, topology, 1);
    IterationSums walked;
    for (const Operation& operation : once.operations->known_operations(0)) {
      ++walked.operations;
      if (const auto* work = std::get_if<Compute>(&operation.what)) walked.flops += work->flops;
      if (const auto* send = std::get_if<SendCall>(&operation.what)) walked.sent += send->size;
      if (const auto* call = std::get_if<CollectiveCall>(&operation.what)) {
        auto& of_kind = walked.collectives[static_cast<std::size_t>(call->kind)];
        ++of_kind.calls;
        of_kind.size += call->size;
      }
    }
    CHECK(sums.operations == walked.operations);
    CHECK((sums.flops == walked.flops && sums.sent == walked.sent));
    for (std::size_t kind = 0; kind < walked.collectives.size(); ++kind) {
      CHECK(sums.collectives[kind].calls == walked.collectives[kind].calls);
      CHECK((sums.collectives[kind].size == walked.collectives[kind].size));
    }
  }
}

// Each job has as many micro-batches as it has, and the messages of both add up.
TEST_CASE("a forecast looks at few micro-batches of each job") {
  Experiment experiment = with_transformer({}, 10, 1);
  JobsSpec jobs;
  for (const std::int32_t batches : {328, 1'000}) {
    TransformerWorkload& part = transformer_of(experiment);
    part.training = {};
    part.training.data = 4;
    part.training.sharding = Sharding::zero3;
    part.training.global_batch = 4 * batches;
    const Rank first = static_cast<Rank>(4 * jobs.jobs.size());
    jobs.jobs.push_back({fmt::format("of {}", batches),
                         {first, first + 1, first + 2, first + 3},
                         {},
                         experiment.workload});
  }
  experiment.workload.what = std::move(jobs);
  const Topology topology(experiment.topology);
  const Job job = make_job(experiment, topology);
  CollectiveRecipes recipes(topology, experiment.system, job.communicators);
  CHECK(forecast_of(experiment).messages == work_ahead(job, topology, {}, recipes).messages);
}

// 2^17 micro-batches, of which a 16th are 2^13. What they send takes 0.7 s, and 28 s 40 times.
TEST_CASE("a long run of many micro-batches names the batch that shortens it") {
  Experiment experiment = with_transformer({}, 10, 1);
  TransformerTraining& training = transformer_of(experiment).training;
  training.pipeline = 4;
  training.data = 2;
  training.global_batch = 1 << 18;
  experiment.workload.iterations = 40;
  const Forecast forecast = forecast_of(experiment);
  CHECK(is_long_job(experiment.workload));
  CHECK(forecast.cpu_s > kLongRun);
  CHECK_THAT(forecast.remedy,
             Catch::Contains("each of 131072 micro-batches is simulated: "
                             "workload.training.global_batch: 16384 takes a 16th of that, for an "
                             "iteration of 8192"));
  training.global_batch = 1 << 10;
  experiment.workload.iterations = 1;
  CHECK_FALSE(is_long_job(experiment.workload));  // 512 x 8 layers: a tenth of a second
}

// Parameters alone, 8 x 12 x 1,024^2 of 2 bytes, are 0.2 GB.
TEST_CASE("before a long run it is told that the model does not fit, and not again") {
  Experiment experiment = with_transformer({}, 10, 1);
  transformer_of(experiment).training.data = 8;
  experiment.npu.memory = Bytes{100'000'000};
  Forecast forecast;
  forecast.cpu_s = kLongRun / 2;
  CHECK(say_if_long(experiment, forecast).empty());
  forecast.cpu_s = kLongRun;
  const std::vector<std::string> told = say_if_long(experiment, forecast);
  REQUIRE(told.size() == 1);
  CHECK_THAT(told.front(), Catch::StartsWith("the model does not fit"));
  CHECK_THAT(simulate(experiment).notices, Catch::VectorContains(told.front()));
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
