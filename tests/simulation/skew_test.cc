// Ranks that do not start together: workload.skew.
#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

#include "network/backends.h"
#include "simulation/simulate.h"

namespace orrery {
namespace {

constexpr Duration work_of_rank = microseconds(100);

// 64 ranks that work for 100 us, and with `exchange` all-reduce 64 KB after that.
Experiment ranks_that_work(bool exchange) {
  Experiment experiment;
  experiment.topology.levels = {{"fabric", LevelKind::switched, 64, gigabits_per_second(100),
                                 nanoseconds(500), Scope::scale_out}};
  for (CollectiveSpec& spec : experiment.system.collectives) spec.chunks = 1;
  ProgramSpec program;
  program.parts.push_back({{}, {{"work", {0, -1, Compute{{}, {}, work_of_rank}}}}});
  if (exchange) {
    CollectiveCall call{};
    call.kind = Collective::all_reduce;
    call.size = bytes(64'000);
    program.parts[0].steps.push_back({"sum", {0, -1, call}, true});
  }
  experiment.workload.what = program;
  return experiment;
}

std::vector<Duration> starts(const Experiment& experiment) {
  std::vector<Duration> by_rank;
  for (const RankRow& rank : simulate(experiment).ranks) {
    CHECK(rank.finish == rank.idle + rank.compute);  // idle until it starts
    by_rank.push_back(rank.finish - work_of_rank);
  }
  return by_rank;
}

}  // namespace

// 64 draws from [0, 10 us): all below 10 us, the mean 5 us with a deviation of 10 / sqrt(12 x 64)
// = 0.361 us, of which five are allowed. None is within 1 us of an end with probability
// 0.9^64 = 0.1 %.
TEST_CASE("ranks start at uniform random times below the skew") {
  Experiment experiment = ranks_that_work(false);
  experiment.workload.skew = microseconds(10);
  for (const std::uint64_t seed : {1, 2, 3}) {
    experiment.seed = seed;
    const std::vector<Duration> drawn = starts(experiment);
    REQUIRE(drawn.size() == 64);
    Duration sum;
    for (const Duration start : drawn) sum += start;
    const auto [least, most] = std::minmax_element(drawn.begin(), drawn.end());
    CHECK(*least >= Duration{});
    CHECK(*least < microseconds(1));
    CHECK(*most < microseconds(10));
    CHECK(*most > microseconds(9));
    CHECK(sum > picoseconds((5'000'000 - 5 * 361'000) * std::int64_t{64}));
    CHECK(sum < picoseconds((5'000'000 + 5 * 361'000) * std::int64_t{64}));
  }
}

TEST_CASE("the start of a rank belongs to seed and rank, whatever the network is") {
  Experiment experiment = ranks_that_work(false);
  experiment.workload.skew = microseconds(10);
  const std::vector<Duration> expected = starts(experiment);
  for (const BackendEntry& backend : builtin_backends()) {
    experiment.network.backend = backend.name;
    CHECK(starts(experiment) == expected);
  }
  experiment.seed = 2;
  CHECK(starts(experiment) != expected);
}

// The last of 64 ranks starts after 9 us with probability 1 - 0.9^64.
TEST_CASE("an all-reduce ends after the last rank has started, on every backend") {
  for (const BackendEntry& backend : builtin_backends()) {
    CAPTURE(backend.name);
    Experiment experiment = ranks_that_work(true);
    experiment.network.backend = backend.name;
    experiment.workload.skew = microseconds(10);
    const RunResult skewed = simulate(experiment);
    CHECK(skewed.finish > work_of_rank + microseconds(9));
    CHECK(simulate(experiment).fingerprint == skewed.fingerprint);
  }
}

TEST_CASE("ranks that start at different times are not folded") {
  Experiment experiment = ranks_that_work(true);
  const RunResult in_step = simulate(experiment);
  CAPTURE(in_step.unfolded_because);
  REQUIRE(in_step.folded);
  experiment.workload.skew = microseconds(10);
  const RunResult skewed = simulate(experiment);
  CHECK_FALSE(skewed.folded);
  CHECK(skewed.unfolded_because == "rank 1 starts at another time than rank 0");
  // Draws of one picosecond are all 0.
  experiment.workload.skew = picoseconds(1);
  CHECK(simulate(experiment).folded);
}

// Jobs have starts of their own, to which the skew is added.
TEST_CASE("the skew is added to the start of a job") {
  Experiment experiment = ranks_that_work(false);
  const WorkloadSpec work_of_job = experiment.workload;
  JobsSpec jobs;
  for (std::int32_t job = 0; job < 2; ++job) {
    PlacedWorkload placed;
    placed.name = job == 0 ? "early" : "late";
    for (Rank npu = 32 * job; npu < 32 * (job + 1); ++npu) placed.npus.push_back(npu);
    placed.start = microseconds(50 * job);
    placed.workload = work_of_job;
    jobs.jobs.push_back(placed);
  }
  experiment.workload.skew = microseconds(10);
  const std::vector<Duration> alone = starts(experiment);
  experiment.workload.what = jobs;
  const std::vector<Duration> together = starts(experiment);
  for (std::size_t rank = 0; rank < together.size(); ++rank)
    CHECK(together[rank] == alone[rank] + microseconds(rank < 32 ? 0 : 50));
}

}  // namespace orrery
