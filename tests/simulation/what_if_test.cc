// What changes of one thing gain, beside the parts of the time that they should take away.
#include "simulation/what_if.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "simulation/simulate.h"
#include "tests/simulation/known_causes.h"

namespace orrery {
namespace {

using namespace known_causes;

// With a row for each change that applies.
RunResult with_gains(const Experiment& experiment) {
  RunResult result = simulate(experiment);
  const std::vector<Alternative> changes = alternatives(experiment, result);
  std::vector<RunResult> results;
  for (const Alternative& change : changes) results.push_back(simulate(change.experiment));
  std::vector<const RunResult*> changed;
  for (const RunResult& one : results) changed.push_back(&one);
  add_gains(result, changes, changed);
  REQUIRE(result.what_if.size() == changes.size());
  return result;
}

Duration gain_of(const RunResult& result, const std::string& change) {
  INFO(change);
  for (const WhatIfRow& row : result.what_if)
    if (row.change == change) return row.gain;
  FAIL("it is not among the changes");
  return {};
}

bool has(const RunResult& result, const std::string& change) {
  return std::ranges::find(result.what_if, change, &WhatIfRow::change) != result.what_if.end();
}

TimePart part_on(const RunResult& result, const std::string& part, const std::string& level) {
  for (const TimePart& row : result.why)
    if (row.part == part && row.level == level) return row;
  FAIL("there is no part " + part + " on " + level);
  return {};
}

// A thousandth of what bandwidth takes is left when it is infinite, and a picosecond of each
// latency.
void check_agreement(const RunResult& result, const std::string& part, const std::string& level) {
  const TimePart row = part_on(result, part, level);
  const auto bandwidth = static_cast<double>(row.bandwidth.value);
  const auto gain = static_cast<double>(gain_of(result, level + ": bandwidth infinite").value);
  CHECK(gain == Approx(0.999 * bandwidth).epsilon(0.002));
  if (!has(result, level + ": no latency")) return;
  const auto latency = static_cast<double>(gain_of(result, level + ": no latency").value);
  CHECK(latency == Approx(static_cast<double>(row.latency.value)).epsilon(0.001));
}

LevelSpec level(const char* name, LevelKind kind, std::int32_t size, std::int64_t bandwidth,
                Duration latency) {
  return {name, kind, size, gigabytes_per_second(bandwidth), latency, Scope::scale_out};
}

// 14 steps of 10 us and 1 MB / (1 GB/s) = 1 ms.
TEST_CASE("what if: a ring's bandwidth and latency") {
  const RunResult result = with_gains(
      with_program(without_latency({level("ring", LevelKind::ring, 8, 1, microseconds(10))}),
                   milliseconds(1), bytes(8'000'000)));
  check_agreement(result, "all_reduce", "ring");
  CHECK(part_on(result, "all_reduce", "ring").latency == microseconds(140));
  CHECK(gain_of(result, "ring: bandwidth x 2") == milliseconds(7));
  CHECK(gain_of(result, "ring: latency / 2") == microseconds(70));
  CHECK(gain_of(result, "compute rate x 2") == microseconds(500));
  CHECK(result.what_if.front().change == "ring: bandwidth infinite");
  CHECK_FALSE(has(result, "memory bandwidth x 2"));
  CHECK_FALSE(has(result, "no jitter"));
}

// One level after the other: 1.5 ms at 4 GB/s and 4 ms at 1 GB/s.
TEST_CASE("what if: each level of a collective over two") {
  const RunResult result = with_gains(
      with_program(without_latency({level("ring", LevelKind::ring, 4, 4, microseconds(1)),
                                    level("fabric", LevelKind::ring, 2, 1, microseconds(5))}),
                   {}, bytes(4'000'000)));
  check_agreement(result, "all_reduce", "ring");
  check_agreement(result, "all_reduce", "fabric");
}

// Two steps of 50 MB. In a round trip of 4 x 25 us a window of 100 kB leaves: 100 ms. With 200 kB
// 50 ms, as 10 GB/s carry 1 MB in that time. Acknowledgements of every second segment and the
// first round trips add some percent.
TEST_CASE("what if: windows of TCP") {
  Experiment experiment =
      with_program(without_latency({level("fabric", LevelKind::switched, 2, 10, microseconds(25))}),
                   {}, bytes(100'000'000));
  experiment.network.backend = "packet";
  experiment.network.transport.kind = TransportKind::tcp;
  experiment.network.transport.window = bytes(100'000);
  const RunResult result = with_gains(experiment);
  CHECK(result.why.at(0).bound_by == BoundBy::window);
  CHECK(
      static_cast<double>(gain_of(result, "windows of TCP x 2 (network.transport.window)").value) ==
      Approx(50e9).epsilon(0.06));
}

TEST_CASE("what if: tensor parallelism inside of a node and across") {
  check_agreement(with_gains(tensor_inside()), "TP", "node");
  check_agreement(with_gains(tensor_across()), "TP", "fabric");
}

TEST_CASE("what if: exposed gradients") {
  check_agreement(with_gains(exposed_gradients()), "DP", "fabric");
}

TEST_CASE("what if: an all-reduce of next to nothing") {
  const RunResult result = with_gains(latency_only());
  check_agreement(result, "all_reduce", "ring");
  CHECK(result.what_if.front().change == "ring: no latency");
  CHECK(gain_of(result, "ring: latency / 2") == microseconds(70));
}

// Without contention what is left is what a rank's port needs, so the gain is the part of the
// spine.
TEST_CASE("what if: a hot link of ECMP") {
  const RunResult result = with_gains(hot_link());
  const Duration gain = gain_of(result, "no contention inside the fabric (analytical)");
  CHECK(static_cast<double>(gain.value) ==
        Approx(static_cast<double>(result.why.at(0).time.value)).epsilon(0.01));
}

// Memory takes half as long, and nothing else takes any time.
TEST_CASE("what if: an optimizer that memory holds up") {
  const RunResult result = with_gains(optimizer_only());
  Duration by_memory;
  for (const TimePart& part : result.why)
    if (part.bound_by == BoundBy::memory_bandwidth) by_memory += part.time;
  CHECK(static_cast<double>(gain_of(result, "memory bandwidth x 2").value) ==
        Approx(0.5 * static_cast<double>(by_memory.value)).epsilon(0.005));
}

// The network costs nothing, so with even loads every rank takes the mean of what they compute.
TEST_CASE("what if: experts equally popular") {
  const RunResult result = with_gains(popular_experts());
  double computed = 0, ranks = 0;
  for (const RankRow& row : result.ranks) {
    computed += static_cast<double>(row.compute.value) * row.multiplicity;
    ranks += row.multiplicity;
  }
  const double expected = static_cast<double>(result.finish.value) - computed / ranks;
  CHECK(static_cast<double>(gain_of(result, "experts equally popular").value) ==
        Approx(expected).epsilon(0.01));
}

// 6 MB pass the port one after the other. The worker waits for 6 ms in all: in the port, and for
// the server, which has others to answer first.
TEST_CASE("what if: workers that all push into one server") {
  const RunResult result = with_gains(fan_in());
  CHECK(gain_of(result, "ring: bandwidth x 2") == milliseconds(3));
  CHECK(gain_of(result, "ring: bandwidth infinite") == microseconds(6'000 - 6));
  Duration waited;
  for (const TimePart& part : result.why)
    if (part.part == "DP") waited += part.time;
  CHECK(waited == milliseconds(6));
}

TEST_CASE("what if: nothing but computing") {
  const RunResult result = with_gains(computing_only());
  REQUIRE(result.what_if.size() == 1);
  CHECK(gain_of(result, "compute rate x 2") == microseconds(1'500));
}

// p = 4, m = 1: passes of 4 for one micro-batch; with m = 2 of 5 for two, 2.5 for one. A pass is
// 3/8 of the time shorter then. Next to no optimizer.
TEST_CASE("what if: twice the micro-batches") {
  Experiment experiment = bubble_only();
  const RunResult halved = with_gains(experiment);
  // Half as large: 5 passes of a half.
  CHECK(static_cast<double>(gain_of(halved, "micro-batches x 2, half as large").value) ==
        Approx(0.375 * static_cast<double>(halved.finish.value)).epsilon(0.01));
  auto& training = std::get<TransformerWorkload>(experiment.workload.what).training;
  training.micro_batch = 1;
  training.global_batch = 2;
  const RunResult more = with_gains(experiment);
  CHECK(static_cast<double>(gain_of(more, "micro-batches x 2, time for as many samples").value) ==
        Approx(0.375 * static_cast<double>(more.finish.value)).epsilon(0.01));
}

TEST_CASE("what if: no stragglers") {
  CHECK(gain_of(with_gains(straggler()), "no stragglers") == milliseconds(20));
}

// 64 chunks of 14 steps of 10 us, and of 128 ns for 128 B, one by one or all at once: the latency
// of 63 of them passes beside the first, and some of the bytes.
TEST_CASE("what if: no limits") {
  const RunResult result = with_gains(one_chunk_at_a_time());
  const Duration gain = gain_of(result, "no limits on chunks in flight");
  CHECK(gain >= microseconds(10 * 14) * 63);
  CHECK(gain <= (microseconds(10 * 14) + nanoseconds(128 * 14)) * 63);
}

// examples/two-jobs: while one job communicates the other computes, so the ring of 4 of each fills
// the ports of its NPUs and the uplink alike for 60 ms of 121. Only both together make that 30.
TEST_CASE("what if: a port and what lies behind it are as busy") {
  const RunResult result =
      with_gains(load_experiment(source_folder() + "/examples/two-jobs/interleaved.yaml", {}));
  const TimePart part = part_on(result, "all_reduce", "spine");
  CHECK(part.knob == "more bandwidth on leaf and spine");
  const Duration apart = gain_of(result, "leaf: bandwidth x 2");
  CHECK(apart < microseconds(10));
  CHECK(gain_of(result, "leaf and spine: bandwidth x 2") > milliseconds(20));
}

// The case of why_test.cc: in units of h^2 parameters the stages have 48 and 48 + 144. The last one
// does 16 micro-batches, after the first forward pass of the other (a third of 48): 3,088. Eight
// replicas of all 240 do 8 micro-batches each: 1,920. Scores, which both have, are left out.
TEST_CASE("what if: fewer stages") {
  const RunResult result = with_gains(uneven_stages(144));
  const Duration gain = gain_of(result, "fewer stages (training.pipeline: 1, data: 8)");
  CHECK(static_cast<double>(gain.value) / static_cast<double>(result.finish.value) ==
        Approx(1 - 1'920.0 / 3'088).epsilon(0.02));
}

// Of 256 MI300X with a model of experts and zero3 the NICs carry for more than four fifths of the
// time, beside computing, so that faster computing gains no more than the rest. Twice as much of
// both halves what is computed and what is carried: a half of the time is gained, but for what
// memory and the links inside of a node take.
TEST_CASE("what if: computing and what goes on beside it") {
  const std::string file = build_folder() + "/beside_computing_test.yaml";
  std::ofstream(file) << "platform: {nodes: 32, server: mi300x}\n"
                         "workload: {transformer: mixtral-8x7b, training: {global_batch: 512, "
                         "expert: 8, sharding: zero3, micro_batch: 2}}\n";
  const Experiment experiment = load_experiment(file, {});
  const RunResult result = simulate(experiment);
  const TimePart& part = result.why.front();
  CHECK(part.part == "compute");
  CHECK(part.beside == result.bound_by);
  CHECK_THAT(part.knob,
             Catch::StartsWith("a faster processor with more bandwidth on unit; unit carries"));
  const auto gain_with = [&](const std::string& change) {
    for (const Alternative& alternative : alternatives(experiment, result))
      if (alternative.change == change)
        return 1 - static_cast<double>(simulate(alternative.experiment).finish.value) /
                       static_cast<double>(result.finish.value);
    return 0.0;
  };
  const double carried =
      static_cast<double>(result.bound.value) / static_cast<double>(result.finish.value);
  CHECK(carried > 0.8);
  CHECK(gain_with("compute rate x 2") <= 1 - carried);
  const double both = gain_with("compute rate and bandwidth on unit x 2");
  CHECK(both > 0.4);
  CHECK(both < 0.5);
}

// Of a graph the links between switches are a change of their own, and none of them is shared with
// the experiment that it was made from.
TEST_CASE("what if: links of a graph") {
  auto graph = std::make_shared<GraphSpec>();
  graph->nodes = {
      {NodeKind::npu, ""}, {NodeKind::npu, ""}, {NodeKind::switched, ""}, {NodeKind::switched, ""}};
  const auto join = [&](std::int32_t a, std::int32_t b, std::int64_t bandwidth) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
      graph->links.push_back(
          {{from}, {to}, 0, gigabytes_per_second(bandwidth), microseconds(1), 1});
  };
  join(0, 2, 4);
  join(2, 3, 1);
  join(3, 1, 4);
  Experiment experiment =
      with_program(without_latency({level("fabric", LevelKind::graph, 2, 4, microseconds(3))}), {},
                   bytes(4'000'000));
  experiment.topology.graph = graph;
  experiment.network.backend = "fluid";
  const RunResult result = with_gains(experiment);
  // Two steps of 2 MB at 1 GB/s: half with 2 GB/s between the switches.
  CHECK(gain_of(result, "fabric: bandwidth between switches x 2") == milliseconds(2));
  CHECK(gain_of(result, "fabric: bandwidth x 2") == milliseconds(2));
  // Nobody else uses them.
  CHECK(gain_of(result, "no contention inside the fabric (analytical)") == Duration{});
  CHECK(graph->links[2].bandwidth == gigabytes_per_second(1));
}

}  // namespace
}  // namespace orrery
