// What `why` names gains by what_if, and what does not gain is not named.
#include <catch2/catch.hpp>

#include <fstream>

#include "frontends/yaml/load_experiment.h"
#include "simulation/result/faster_trainings.h"
#include "simulation/result/knobs.h"
#include "simulation/search/fitting.h"
#include "simulation/simulate.h"
#include "simulation/what_if.h"
#include "tests/paths.h"
#include "tests/simulation/small_jobs.h"

namespace orrery {
namespace {

using Catch::Contains;
using Catch::StartsWith;

// Two leaves of four NPUs, one uplink each, all wires of 1 GB/s, no latency.
Experiment on_leaves(const std::string& rest, const std::vector<Override>& overrides = {}) {
  const std::string file = build_folder() + "/gaining_knobs_test.yaml";
  std::ofstream(file) << "platform: {npu: {preset: a100}, topology: {leaf_spine: {leaves: 2, "
                         "spines: 1, plugs: 4, bandwidth: 1 GB/s, latency: 0 us}}}\n"
                         "system: {protocol: none, schedule: flat, algorithms: ring, chunks: 1, "
                         "injection_latency: 0 us, local_injection_latency: 0 us}\n" +
                             rest;
  return load_experiment(file, overrides);
}

const Alternative* alternative(const std::vector<Alternative>& all, const std::string& change) {
  const auto found = std::ranges::find(all, change, &Alternative::change);
  return found == all.end() ? nullptr : &*found;
}

Duration without(const Experiment& experiment, const RunResult& result, const std::string& change) {
  const std::vector<Alternative> all = alternatives(experiment, result);
  const Alternative* found = alternative(all, change);
  REQUIRE(found != nullptr);
  return simulate(found->experiment).finish;
}

}  // namespace

// A ring of 8 sends 2 x 7/8 x 8 MB = 14 MB over each wire: 14 ms at 1 GB/s, 28 where one wire has
// half of it.
TEST_CASE("a link that a fault slows down is named as such, and what the fault costs is a row") {
  TimePart slow;
  slow.bound_by = BoundBy::bandwidth;
  slow.held_by = "npu0 -> leaf0";

  const Experiment experiment = on_leaves(
      "network: {backend: fluid, faults: [{at: 0 s, link: npu0 - leaf0, state: degraded, "
      "bandwidth: 0.5 GB/s}]}\n"
      "workload: {program: [{operations: [{all_reduce: 8 MB}]}]}\n");
  CHECK(knob_of(slow, experiment, 1, {}) ==
        "a link that is not degraded (network.faults), or more bandwidth on npu0 -> leaf0");
  slow.held_by = "npu1 -> leaf0";
  CHECK(knob_of(slow, experiment, 1, {}) == "more bandwidth on npu1 -> leaf0");
  const RunResult result = simulate(experiment);
  CHECK(result.finish == milliseconds(28));
  CHECK(without(experiment, result, "no faults") == milliseconds(14));
}

// Two servers of two NPUs sum 8 MB in 64 chunks: each NPU sends 2 x 4 MB inside at 2 GB/s, 4 ms,
// and 4 MB to the other server. The uplink carries 8 MB: 4 ms at 2 GB/s, 8 where it has half of
// that. So it is the link that is full, and inside is only what the first chunk and the last one do
// alone: 2 x 62.5 kB at 2 GB/s.
TEST_CASE("what waits for a degraded uplink is not charged to links that idle meanwhile") {
  const std::string file = build_folder() + "/degraded_uplink_test.yaml";
  std::ofstream(file) << "platform: {npu: {preset: a100}, topology: {leaf_spine: {leaves: 2, "
                         "spines: 1, nodes: 2, bandwidth: 1 GB/s, uplink_bandwidth: 2 GB/s, "
                         "latency: 0 us, node: {npus: 2, inside: switch, bandwidth: 2 GB/s, "
                         "latency: 0 us}}}}\n"
                         "network: {backend: fluid, faults: [{at: 0 s, link: leaf0 - spine0, "
                         "state: degraded, bandwidth: 1 GB/s}]}\n"
                         "system: {protocol: none, schedule: local_bandwidth_aware, algorithms: "
                         "ring, chunks: 64, injection_latency: 0 us, local_injection_latency: 0 "
                         "us}\n"
                         "workload: {program: [{operations: [{all_reduce: 8 MB}]}]}\n";
  const RunResult result = simulate(load_experiment(file, {}));
  CHECK(result.finish == nanoseconds(8'062'500));
  REQUIRE(result.why.size() == 2);
  const TimePart& part = result.why.front();
  CHECK(part.level == "spine");
  CHECK(part.bound_by == BoundBy::bandwidth);
  CHECK(part.held_by == "leaf0 -> spine0");
  CHECK(part.bandwidth == milliseconds(8));
  CHECK_THAT(part.knob, StartsWith("a link that is not degraded (network.faults)"));
  CHECK(result.why.back().time == nanoseconds(62'500));
}

// Rings of 4 send 6 MB over each wire: M = C = 6 ms, and 2M while both cross the uplinks
// (jobs_test). Blue ends with its first round, of C + 2M. Red has three more of C + M: 54 ms, 48
// alone.
TEST_CASE("jobs that start apart are named where another one is there for long") {
  const auto job = [](const char* name, const char* npus, int iterations) {
    return std::string("{name: ") + name + ", npus: \"" + npus +
           "\", iterations: " + std::to_string(iterations) +
           ", program: [{operations: [{compute: 6 ms}, {all_reduce: 4 MB}]}]}";
  };
  const auto with = [&](int iterations) {
    return on_leaves("network: {backend: fluid}\nworkload: {jobs: [" + job("red", "0-1,4-5", 4) +
                     ", " + job("blue", "2-3,6-7", iterations) + "]}\n");
  };
  const Experiment shortly = with(1);
  const RunResult result = simulate(shortly);
  CHECK(result.finish == milliseconds(54));
  for (const TimePart& part : result.why) CHECK_THAT(part.knob, !Contains("jobs that start apart"));
  CHECK(without(shortly, result, "red without the other jobs") == milliseconds(48));
  CHECK_THAT(simulate(with(4)).why.front().knob, StartsWith("jobs that start apart"));
}

// What leaves a leaf shares its uplink, whichever of its NPUs sends it.
TEST_CASE("more servers in a leaf that is full are no remedy, servers in another one are") {
  const auto knob = [&](const std::string& servers) {
    TimePart part;
    part.part = "DP";
    part.level = "spine";
    part.bound_by = BoundBy::contention;
    part.held_by = "leaf0 -> spine0";
    return knob_of(part,
                   on_leaves("workload: {layers: resnet-50, data_parallel: {batch: 8, servers: \"" +
                             servers + "\"}}\n"),
                   1, {});
  };
  CHECK_THAT(knob("0-1"), StartsWith("data_parallel.servers that do not share a leaf, or a wider"));
  CHECK_THAT(knob("0,4"), StartsWith("more data_parallel.servers, or a wider"));
}

TEST_CASE("switches that learn of a failed link at once cannot learn of it sooner") {
  Experiment experiment;
  TimePart part;
  part.bound_by = BoundBy::losses;
  const auto knob = [&] { return knob_of(part, experiment, 1, {.link_down = 5}); };
  CHECK(knob() == "links that stay up (network.faults)");
  experiment.network.routing.reroute_delay = milliseconds(1);
  CHECK_THAT(knob(), Contains("network.routing.reroute_delay"));
}

// A pass forward of four is done again: a quarter more than 6 operations for each parameter.
TEST_CASE("recomputation that the memory does not need is named, and a row") {
  TransformerTraining training;
  training.data = 8;
  training.recompute = Recompute::full;
  Experiment experiment = with_transformer(training, 1'000'000, 1'000'000);
  TimePart part;
  part.bound_by = BoundBy::compute_rate;
  const auto knob = [&] { return knob_of(part, experiment, 1, {}); };
  CHECK_THAT(knob(), StartsWith("training.recompute: none, or a faster processor"));
  const RunResult result = simulate(experiment);
  CHECK(without(experiment, result, "no recomputation (training.recompute: none)") < result.finish);
  TransformerWorkload kept = std::get<TransformerWorkload>(experiment.workload.what);
  kept.training.recompute = Recompute::none;
  experiment.npu.memory = most_memory(kept);  // no room for fragments
  CHECK_THAT(knob(), StartsWith("a faster processor"));
  CHECK(alternative(alternatives(experiment, result),
                    "no recomputation (training.recompute: none)") == nullptr);
}

// Of a token the loss goes over 65,536 logits with 52 B each, in one kernel with 28; the gradient
// of the head, 4 B x 65,536 x 1,024, is added to once for each sample of 512.
TEST_CASE("the loss in one kernel is named where it gains more than larger micro-batches") {
  TransformerTraining training;
  training.data = 8;
  Experiment experiment = with_transformer(training, 1'000'000, 1'000'000);
  experiment.npu.memory_bandwidth = gigabytes_per_second(1'000);
  auto& workload = std::get<TransformerWorkload>(experiment.workload.what);
  workload.model.vocabulary = 65'536;
  TimePart part;
  part.part = "memory-bound kernels";
  part.bound_by = BoundBy::memory_bandwidth;
  CHECK_THAT(knob_of(part, experiment, 1, {}),
             StartsWith("training.fused_cross_entropy: true, or more memory bandwidth"));
  // Beside three times as many layers it gains less than a tenth of such a part: it comes second.
  Experiment other = experiment;
  auto& many = std::get<TransformerWorkload>(other.workload.what).model;
  many.layers *= 3;
  part.share = 0.95;
  CHECK_THAT(knob_of(part, other, 1, {}),
             StartsWith("more memory bandwidth (npu.memory_bandwidth), or training."));
  part.share = 0;
  const RunResult result = simulate(experiment);
  CHECK(without(experiment, result, "the loss in one kernel (training.fused_cross_entropy)") <
        result.finish);
  workload.training.fused_cross_entropy = true;
  CHECK_THAT(knob_of(part, experiment, 1, {}), !Contains("fused_cross_entropy"));
}

// A layer sums and gathers 4 x 512 x 1,024 x 2 B over four ranks forwards and as much backwards: of
// 1 GB/s that takes longer than its products, which hide what is cut up.
TEST_CASE("overlap_tensor is named where tensor-parallel exchanges wait, and is a row") {
  TransformerTraining training;
  training.tensor = 4;
  training.data = 2;
  training.sequence_parallel = true;
  Experiment experiment = with_transformer(training, 20, 20);
  const RunResult result = simulate(experiment);
  const auto part = std::ranges::find(result.why, "TP", &TimePart::part);
  REQUIRE(part != result.why.end());
  CHECK_THAT(part->knob, StartsWith("training.overlap_tensor: true, or more bandwidth on node"));
  const std::string row = "TP exchanges beside products (training.overlap_tensor)";
  CHECK(without(experiment, result, row) < result.finish);
  transformer_of(experiment).training.overlap_tensor = true;
  const RunResult beside = simulate(experiment);
  CHECK(alternative(alternatives(experiment, beside), row) == nullptr);
  for (const TimePart& still : beside.why) CHECK_THAT(still.knob, !Contains("overlap_tensor"));
}

// Eight layers on four stages: a bubble of 3 (F + B), B = 2 F. Two chunks of a layer halve it to
// 4.5 F; with weight gradients put off (zb-h1) 3 (F + B - 2 W) are left, W = F: 3 F.
TEST_CASE("the order of micro-batches that gains most is named, and each is a row") {
  TransformerTraining training;
  training.pipeline = 4;
  training.data = 2;
  Experiment experiment = with_transformer(training, 1'000'000, 1'000'000);
  const RunResult result = simulate(experiment);
  const auto part = std::ranges::find(result.why, BoundBy::schedule, &TimePart::bound_by);
  REQUIRE(part != result.why.end());
  CHECK_THAT(part->knob, StartsWith("training.schedule: zb-h1, or more micro-batches"));
  const std::string row = "training.schedule: ";
  const Duration two = without(experiment, result, row + "interleaved, chunks: 2");
  const Duration zero_bubble = without(experiment, result, row + "zb-h1");
  CHECK(two < result.finish);
  CHECK(zero_bubble < two);
  transformer_of(experiment).training.schedule = PipelineSchedule::interleaved;
  transformer_of(experiment).training.chunks = 2;
  CHECK(alternative(alternatives(experiment, simulate(experiment)),
                    row + "interleaved, chunks: 2") == nullptr);
  // Micro-batches in flight need more than the device has.
  experiment.npu.memory = Bytes{1};
  CHECK(other_schedules(experiment).empty());
}

}  // namespace orrery
