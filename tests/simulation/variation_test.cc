// Ranks that are not equally fast: what jitter and stragglers cost a synchronous job, against the
// mean of the largest of n random numbers.
#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

#include "simulation/simulate.h"
#include "tests/simulation/rings.h"

namespace orrery {
namespace {

constexpr Duration work = milliseconds(1), half = microseconds(500);

// Eight ranks that work for 1 ms and then all-reduce 8 B, `iterations` times: of a step of a ring
// 1 B at 1 GB/s and two links of 1 ns, 3 ns; of its 14 steps 42 ns.
Experiment eight_ranks(std::int32_t iterations) {
  Experiment experiment;
  experiment.topology.levels = {{"fabric", LevelKind::switched, 8, gigabytes_per_second(1),
                                 nanoseconds(1), Scope::scale_out}};
  experiment.system.injection_latency = Duration{};
  experiment.system.minimum_chunk = bytes(1);
  use_rings(experiment.system, 1);
  ProgramSpec program;
  CollectiveCall call{};
  call.kind = Collective::all_reduce;
  call.size = bytes(8);
  program.parts.push_back(
      {{}, {{"work", {0, -1, Compute{{}, {}, work}}}, {"sum", {0, -1, call}, true}}});
  experiment.workload.what = program;
  experiment.workload.iterations = iterations;
  return experiment;
}

constexpr Duration exchange = nanoseconds(42);

std::vector<Duration> computed(const RunResult& result) {
  std::vector<Duration> by_rank;
  for (const RankRow& rank : result.ranks) by_rank.push_back(rank.compute);
  return by_rank;
}

}  // namespace

// Of n = 8 independent draws the largest has, on average,
//   uniform on 0..1        n / (n+1) = 0.889, variance n / ((n+1)^2 (n+2)) = 0.0099
//   exponential of mean 1  1 + 1/2 + ... + 1/8 = 2.718, variance 1 + 1/4 + ... + 1/64 = 1.527
//   standard normal        1.4236 (order statistics, Harter 1961), variance 0.373
// The mean over 900 iterations deviates from that by a thirtieth of the standard deviation; five
// of these are allowed.
TEST_CASE("a synchronous step takes as long as its slowest rank") {
  struct Case {
    JitterDistribution distribution;
    double mean, variance;
  };
  for (const Case& expected : {Case{JitterDistribution::uniform, 8.0 / 9, 0.0099},
                               Case{JitterDistribution::exponential, 2.717857, 1.5274},
                               Case{JitterDistribution::normal, 1.4236, 0.3729}}) {
    CAPTURE(name_of(expected.distribution));
    constexpr std::int32_t iterations = 900;
    Experiment experiment = eight_ranks(iterations);
    experiment.npu.variation.jitter = {{10, 100}, expected.distribution, JitterDraw::operation};
    const RunResult result = simulate(experiment);
    const double step =
        static_cast<double>(result.finish.value) / iterations - static_cast<double>(exchange.value);
    const double slower = (step / static_cast<double>(work.value) - 1) / 0.1;
    CHECK(std::abs(slower - expected.mean) < 5 * std::sqrt(expected.variance) / 30);
  }
}

// Two operations before each exchange: drawn together they vary by twice as much as each, drawn
// apart by a draw of sqrt(2) times the deviation. Two ranks, normal: the larger of two is
// 1/sqrt(pi) deviations above the mean; 2 x 0.1 ms x 0.5642, and 0.1414 ms x 0.5642.
TEST_CASE("what is drawn for each operation averages out") {
  constexpr std::int32_t iterations = 900;
  for (const JitterDraw draw : {JitterDraw::operation, JitterDraw::iteration}) {
    CAPTURE(name_of(draw));
    Experiment experiment = eight_ranks(iterations);
    experiment.topology.levels[0].size = 2;
    auto& steps = std::get<ProgramSpec>(experiment.workload.what).parts[0].steps;
    steps.insert(steps.begin(), steps[0]);
    experiment.npu.variation.jitter = {{10, 100}, JitterDistribution::normal, draw};
    const double step = static_cast<double>(simulate(experiment).finish.value) / iterations * 1e-9;
    const double deviation = draw == JitterDraw::operation ? 0.1 * std::sqrt(2.0) : 0.2;
    CHECK(std::abs(step - 2 - deviation * 0.5642) < 5 * deviation * 0.8256 / 30);
  }
}

// Without `jitter` no rank draws: all are alike, fold, and take what the mean of 20 seeds with 20
// iterations each comes to. Its own deviation is 0.61 x 10 % / 20 = 0.3 % of the work; three of
// these are allowed. By hand 1.4236 deviations (Harter) are 14.236 % of 1 ms.
TEST_CASE("what equal devices deviate folds to the mean of what they would draw") {
  constexpr std::int32_t iterations = 20, seeds = 20;
  Experiment experiment = eight_ranks(iterations);
  experiment.npu.peak = teraflops_per_second(1);
  auto& steps = std::get<ProgramSpec>(experiment.workload.what).parts[0].steps;
  std::get<Compute>(steps[0].operation.what) = {{1'000'000'000}, {}, {}};  // 1 ms
  REQUIRE(simulate(experiment).finish == (work + exchange) * iterations);
  experiment.npu.efficiency.spread = {10, 100};
  const RunResult folded = simulate(experiment);
  CHECK(folded.folded);
  const double expected = 1.14236e9 + static_cast<double>(exchange.value);
  CHECK(static_cast<double>(folded.finish.value) / iterations == Approx(expected).epsilon(1e-5));
  experiment.npu.variation.jitter = {{10, 100}, JitterDistribution::normal, JitterDraw::iteration};
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    experiment.seed = seed;
    sum += static_cast<double>(simulate(experiment).finish.value);
  }
  CHECK(std::abs(sum / seeds / iterations - expected) < 3 * 0.003 * 1e9);
}

TEST_CASE("a rank draws the same whatever the network does") {
  Experiment experiment = eight_ranks(20);
  experiment.npu.variation.jitter = {{5, 100}, JitterDistribution::uniform, JitterDraw::operation};
  const RunResult result = simulate(experiment);
  CHECK(simulate(experiment).fingerprint == result.fingerprint);
  Experiment slow = experiment;
  slow.topology.levels[0].latency = microseconds(700);
  CHECK(computed(simulate(slow)) == computed(result));
  slow.network.backend = "fluid";
  CHECK(computed(simulate(slow)) == computed(result));
  Experiment longer = experiment;
  longer.workload.iterations = 21;
  CHECK(simulate(longer).finish > result.finish);
  experiment.seed = 2;
  CHECK(computed(simulate(experiment)) != computed(result));
}

// The others wait for rank 3, and have sent what they can. It sends its seven additions one after
// the other, 1 ns each; the last one leaves after 6 ns, is the whole sum at the next rank after 3
// and comes round to rank 3 in 7 more steps: 6 + 8 x 3 = 30 ns from its work to its next. Only when
// all ranks begin together does an exchange take 42, and only the last one is over when all have
// it.
TEST_CASE("a straggler slows the whole step by its factor") {
  Experiment experiment = eight_ranks(4);
  const Duration step = work + exchange;
  REQUIRE(simulate(experiment).finish == step * 4);
  experiment.npu.variation.stragglers = {{{3}, {}, 1.5, {}}};
  const RunResult result = simulate(experiment);
  CHECK(result.finish == (work + half) * 4 + nanoseconds(3 * 30) + exchange);
  CHECK(result.ranks[3].compute == (work + half) * 4);
  CHECK(result.ranks[2].compute == work * 4);
  SECTION("from a time on: the third iteration begins at two steps") {
    StragglerSpec& straggler = experiment.npu.variation.stragglers[0];
    straggler.from = step * 2;
    CHECK(simulate(experiment).finish == step * 2 + work * 3 + nanoseconds(30) + exchange);
    straggler.from = step * 2 + picoseconds(1);
    CHECK(simulate(experiment).finish == step * 4 + half);
  }
  SECTION("entries multiply") {
    experiment.npu.variation.stragglers.push_back({{3}, {}, 2, {}});
    CHECK(simulate(experiment).finish == work * 12 + nanoseconds(3 * 30) + exchange);
  }
}

// A fifth of eight ranks, rounded up: two.
TEST_CASE("the seed draws which ranks are slow") {
  Experiment experiment = eight_ranks(1);
  experiment.npu.variation.stragglers = {{{}, {1, 5}, 2, {}}};
  std::vector<std::int32_t> slow_in(8);
  for (std::uint64_t seed = 1; seed <= 64; ++seed) {
    experiment.seed = seed;
    std::int32_t slow = 0;
    for (const RankRow& rank : simulate(experiment).ranks) {
      slow += rank.compute == work * 2;
      slow_in[rank.rank] += rank.compute == work * 2;
    }
    CHECK(slow == 2);
  }
  // Each of them 16 times, with a standard deviation of 3.5.
  for (const std::int32_t times : slow_in) CHECK(std::abs(times - 16) < 14);
}

// Four data-parallel ranks that exchange gradients after the backward pass: twice the compute.
TEST_CASE("a straggler among data-parallel ranks of a transformer") {
  Experiment experiment = eight_ranks(1);
  experiment.npu.peak = teraflops_per_second(10);
  TransformerWorkload workload;
  workload.model.layers = 2;
  workload.model.hidden = 64;
  workload.model.heads = 4;
  workload.model.vocabulary = 512;
  workload.model.sequence = 128;
  workload.model.element = Bytes{2};
  workload.training.data = 8;
  workload.training.global_batch = 16;
  workload.training.overlap_gradients = false;
  experiment.workload.what = workload;
  const RunResult even = simulate(experiment);
  experiment.npu.variation.stragglers = {{{5}, {}, 2, {}}};
  const RunResult uneven = simulate(experiment);
  CHECK(uneven.ranks[5].compute == even.compute * 2);
  CHECK(uneven.finish == even.finish + even.compute);
}

TEST_CASE("ranks that differ are not simulated as one") {
  Experiment experiment = eight_ranks(1);
  CHECK(why_not_folded(experiment) == "");
  experiment.npu.variation.jitter = {{0, 100}, JitterDistribution::normal, JitterDraw::operation};
  CHECK(why_not_folded(experiment) == "");
  experiment.npu.variation.jitter->relative = {1, 100};
  CHECK(why_not_folded(experiment) == "compute times vary (jitter)");
  experiment.npu.variation.jitter.reset();
  experiment.npu.variation.stragglers = {{{0}, {}, 2, {}}};
  CHECK(why_not_folded(experiment) == "some ranks are slower than others (stragglers)");
}

}  // namespace orrery
