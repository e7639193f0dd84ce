// Why a run takes as long as it does, on cases made so that the answer is known; and what makes the
// difference between two of them.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"
#include "tests/paths.h"
#include "tests/simulation/small_jobs.h"

namespace orrery {
namespace {

// `ranks` on one ring of 1 GB/s, without any latency unless it is given.
Experiment on_ring(std::int32_t ranks, Duration latency = {}) {
  return without_latency(
      {{"ring", LevelKind::ring, ranks, gigabytes_per_second(1), latency, Scope::scale_out}});
}

const TimePart& largest(const RunResult& result) {
  Duration all;
  for (const TimePart& part : result.why) all += part.time;
  CHECK(all == result.finish);
  REQUIRE_FALSE(result.why.empty());
  return result.why.front();
}

// The largest of the parts that are waited for.
const TimePart& largest_wait(const RunResult& result) {
  largest(result);
  const auto wait = std::ranges::find_if(result.why, [](const TimePart& part) {
    return !part.level.empty() || part.bound_by == BoundBy::late_ranks;
  });
  REQUIRE(wait != result.why.end());
  return *wait;
}

// Four stages and one micro-batch, on a network that costs nothing: of the four passes in a row
// each stage does one, and 3/4 of the time is bubble. The scores are not matrix products, but they
// are in each stage alike.
TEST_CASE("why: a bubble") {
  TransformerTraining training;
  training.pipeline = 4;
  training.data = 2;
  Experiment experiment = with_transformer(training, 1'000'000, 1'000'000);
  auto& workload = std::get<TransformerWorkload>(experiment.workload.what);
  workload.training.global_batch = 8;
  workload.training.micro_batch = 4;
  workload.model.vocabulary = 1;
  const RunResult result = simulate(experiment);
  CHECK(largest(result).part == "bubble");
  CHECK(largest(result).bound_by == BoundBy::schedule);
  CHECK(largest(result).share == Approx(0.75).epsilon(0.01));
}

// Groups of 4 on 1 GB/s: an all-reduce of 512 x 1,024 x 2 B takes 1.5 MB / (1 GB/s) = 1.57 ms and
// the products of a layer 2 x 12 x 1,024^2 x 512 / (4 x 100 TFLOP/s) = 32 us. All of it is carried.
TEST_CASE("why: tensor parallelism inside of a node") {
  TransformerTraining training;
  training.tensor = 4;
  training.data = 2;
  const RunResult result = simulate(with_transformer(training, 1, 1'000));
  CHECK(largest(result).part == "TP");
  CHECK(largest(result).level == "node");
  CHECK(largest(result).bound_by == BoundBy::bandwidth);
  CHECK(largest(result).bandwidth == largest(result).time);
  CHECK(largest(result).share > 0.9);
}

TEST_CASE("why: tensor parallelism across nodes") {
  TransformerTraining training;
  training.tensor = 8;
  const RunResult result = simulate(with_transformer(training, 1'000, 1));
  CHECK(largest(result).part == "TP");
  CHECK(largest(result).level == "fabric");
  CHECK(largest(result).bound_by == BoundBy::bandwidth);
  CHECK(largest(result).bandwidth == largest(result).time);
}

// 8 replicas exchange 100 M parameters of 4 B after the backward pass: inside a node at 1 TB/s,
// then 400 MB across at 1 GB/s.
TEST_CASE("why: exposed gradients") {
  TransformerTraining training;
  training.data = 8;
  const RunResult result = simulate(with_transformer(training, 1'000, 1));
  CHECK(largest(result).part == "DP");
  CHECK(largest(result).level == "fabric");
  CHECK(largest(result).bound_by == BoundBy::bandwidth);
  CHECK(largest(result).bandwidth == largest(result).time);
}

// 14 steps of a ring, 10 us and 1 ns for 1 B each.
TEST_CASE("why: an all-reduce of next to nothing") {
  const RunResult result =
      simulate(with_program(on_ring(8, microseconds(10)), nanoseconds(1), bytes(8)));
  CHECK(largest(result).part == "all_reduce");
  CHECK(largest(result).level == "ring");
  CHECK(largest(result).bound_by == BoundBy::latency);
  CHECK(largest(result).latency == microseconds(140));
  CHECK(largest(result).bandwidth == nanoseconds(14));
  CHECK(largest(result).rest == Duration{});
}

// Flows whose hashes meet share an uplink: three of 200 Gb/s one of 400 (examples/ecmp). So that
// link is busy for 1.5 times as long as a rank's port needs.
TEST_CASE("why: a hot link of ECMP") {
  const RunResult result =
      simulate(load_experiment(source_folder() + "/examples/ecmp/ecmp.yaml", {}));
  CHECK(largest(result).bound_by == BoundBy::contention);
  CHECK_THAT(largest(result).held_by, Catch::Contains("spine"));
}

// 80 MB at 8 GB/s, S/B = 10 ms, among 2 leaves of 4. Inside of a leaf a ring moves 3/4 S in 7.5 ms.
// Then each rank sends half of its S/4 to the other leaf: 1.25 ms at its own port, but four of them
// share an uplink of B/2, which takes 4 x (S/8) / (B/2) = S/B = 10 ms. All is 17.5 ms, of which the
// spine has 10, though most bytes of a rank stay in the leaf. The three steps on the leaf and the
// one across take less than 0.1 us of latency in all.
TEST_CASE("why: a taper that holds up the phase with the fewest bytes") {
  const auto folder = std::filesystem::temp_directory_path();
  const auto file = folder / ("orrery_why_test." + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << "platform:\n"
                         "  topology:\n"
                         "    leaf_spine: {leaves: 2, plugs: 4, spines: 1, bandwidth: 8 GB/s,\n"
                         "                 uplink_bandwidth: 4 GB/s, latency: 1 ns}\n"
                         "system: {algorithms: ring, chunks: 1, schedule: baseline}\n"
                         "workload:\n"
                         "  program: [{operations: [{name: g, reduce_scatter: 80 MB}]}]\n";
  const RunResult result = simulate(load_experiment(file, {}));
  std::filesystem::remove(file);
  CHECK(result.finish > microseconds(17'500));
  CHECK(result.finish < microseconds(17'501));
  CHECK(largest(result).level == "spine");
  CHECK(largest(result).bound_by == BoundBy::contention);
  CHECK_THAT(largest(result).held_by, Catch::Contains("spine0"));
  CHECK(largest(result).time >= milliseconds(10));
  CHECK(largest(result).time < microseconds(10'001));
}

// Rank 3 takes 30 ms where the others take 10: they wait 20 ms for it. Itself it is slower by 20.
TEST_CASE("why: a straggler") {
  Experiment experiment = with_program(on_ring(4), milliseconds(10), bytes(4'000));
  StragglerSpec& straggler = experiment.npu.variation.stragglers.emplace_back();
  straggler.ranks = {3};
  straggler.slowdown = 3;
  CHECK(largest(simulate(experiment)).bound_by == BoundBy::late_ranks);
  CHECK(largest(simulate(experiment)).time == milliseconds(20));
  experiment.npu.variation.stragglers.front().ranks = {0};
  CHECK(largest(simulate(experiment)).bound_by == BoundBy::slow_ranks);
  CHECK(largest(simulate(experiment)).time == milliseconds(20));
}

// 16 tokens and 100 M parameters: passes read each weight of 2 B a few times, the optimizer reads
// and writes 26 B and more of it.
TEST_CASE("why: an optimizer that memory holds up") {
  TransformerTraining training;
  training.data = 8;
  Experiment experiment = with_transformer(training, 1'000'000, 1'000'000);
  experiment.npu.memory_bandwidth = gigabytes_per_second(100);
  auto& workload = std::get<TransformerWorkload>(experiment.workload.what);
  workload.model.sequence = 16;
  const RunResult result = simulate(experiment);
  CHECK(largest(result).part == "optimizer");
  CHECK(largest(result).bound_by == BoundBy::memory_bandwidth);
}

// Zipf loads: the rank with the popular expert computes longest, and the others wait for it.
TEST_CASE("why: experts that are not equally popular") {
  TransformerTraining training;
  training.data = 8;
  training.experts.parallel = 8;
  training.experts.load.kind = ExpertLoad::zipf;
  Experiment experiment = with_transformer(training, 1'000'000, 1'000'000);
  auto& workload = std::get<TransformerWorkload>(experiment.workload.what);
  workload.model.experts.count = 8;
  workload.model.experts.top_k = 2;
  const RunResult result = simulate(experiment);
  CHECK(largest_wait(result).part == "EP");
  CHECK(largest_wait(result).bound_by == BoundBy::late_ranks);
}

// Three workers push 1 MB each into one port of 1 GB/s and are answered out of it: 6 ms. The last
// answer waits 2 ms for the others in the port, and takes 1.
TEST_CASE("why: workers that all push into one server") {
  Experiment experiment = on_ring(4);
  experiment.topology.levels.front().kind = LevelKind::switched;
  experiment.npu.peak = teraflops_per_second(1);
  StackTraining stack;
  stack.layers = {{"a", 500'000, 0, 0, 0, false}};
  stack.gradient_element = Bytes{2};
  stack.servers = {3};
  experiment.workload.what = stack;
  const RunResult result = simulate(experiment);
  CHECK(result.finish == milliseconds(6));
  CHECK(largest(result).bound_by == BoundBy::contention);
  CHECK_THAT(largest(result).held_by, Catch::Contains("npu 3"));
}

// 64 chunks one by one: each passes 14 steps of 10 us and 1/512 of 64 kB. Latency of one chunk is
// the least, that of the 63 others is due to the limit.
TEST_CASE("why: one chunk at a time") {
  Experiment experiment = with_program(on_ring(8, microseconds(10)), nanoseconds(1), kibibytes(64));
  experiment.system.collectives[static_cast<std::size_t>(Collective::all_reduce)].chunks = 64;
  experiment.system.queue_limit = 1;
  const RunResult result = simulate(experiment);
  CHECK(largest(result).bound_by == BoundBy::limits);
  CHECK(largest(result).rest == microseconds(10 * 14) * 63);
}

TEST_CASE("why: nothing but computing") {
  const RunResult result = simulate(with_program(on_ring(2), milliseconds(3), Bytes{}));
  REQUIRE(result.why.size() == 1);
  CHECK(largest(result).part == "compute");
  CHECK(largest(result).bound_by == BoundBy::compute_rate);
  CHECK(largest(result).share == 1);
}

// A chunk passes 4 NPUs inside and then 2 across, one after the other: 2 x 3/4 x 4 MB at 4 GB/s and
// 2 x 1/2 x 4 MB at 1 GB/s.
TEST_CASE("time of a collective over two levels is split between them") {
  Experiment experiment = with_program(on_ring(4), {}, bytes(4'000'000));
  experiment.topology.levels.front().bandwidth = gigabytes_per_second(4);
  experiment.topology.levels.push_back(
      {"fabric", LevelKind::switched, 2, gigabytes_per_second(1), Duration{}, Scope::scale_out});
  const RunResult result = simulate(experiment);
  REQUIRE(result.why.size() == 2);
  CHECK(result.why[0].level == "fabric");
  CHECK(result.why[0].time == milliseconds(4));
  CHECK(result.why[1].level == "ring");
  CHECK(result.why[1].time == microseconds(1'500));
}

// Pairs of systems that differ in one thing: the parts add up to the difference, and the
// largest is what differs.
TEST_CASE("parts explain the difference between two systems") {
  struct Case {
    const char* part;
    Experiment here, fastest;
  };
  TransformerTraining tensor, data, pipeline;
  tensor.tensor = 4;
  tensor.data = 2;
  data.data = 8;
  pipeline.pipeline = 4;
  pipeline.data = 2;
  Experiment few = with_transformer(pipeline, 1'000, 1'000), many = few;
  std::get<TransformerWorkload>(few.workload.what).training.micro_batch = 4;
  Experiment slow = with_program(on_ring(4), milliseconds(10), bytes(4'000)), even = slow;
  slow.npu.variation.stragglers = {{.ranks = {3}, .fraction = {}, .slowdown = 2, .from = {}}};
  Experiment limited = with_program(on_ring(8, microseconds(10)), nanoseconds(1), kibibytes(64));
  limited.system.collectives[static_cast<std::size_t>(Collective::all_reduce)].chunks = 64;
  Experiment free = limited;
  limited.system.queue_limit = 1;
  const std::vector<Case> cases{
      {"TP", with_transformer(tensor, 1, 1'000), with_transformer(tensor, 2, 1'000)},
      {"DP", with_transformer(data, 1'000, 1), with_transformer(data, 1'000, 2)},
      {"bubble", few, many},
      {"all_reduce", slow, even},
      {"all_reduce", limited, free},
      {"compute", with_program(on_ring(4), milliseconds(2), bytes(4'000)),
       with_program(on_ring(4), milliseconds(1), bytes(4'000))},
      {"all_reduce", with_program(on_ring(4, microseconds(2)), {}, bytes(4)),
       with_program(on_ring(4, microseconds(1)), {}, bytes(4))}};
  for (const Case& one : cases) {
    INFO(one.part);
    const RunResult here = simulate(one.here), fastest = simulate(one.fastest);
    const std::vector<PartDifference> parts = part_differences(here, fastest);
    Duration sum;
    for (const PartDifference& part : parts) sum += part.difference;
    CHECK(sum == here.finish - fastest.finish);
    REQUIRE_FALSE(parts.empty());
    CHECK(parts.front().part == one.part);
  }
}

}  // namespace
}  // namespace orrery
