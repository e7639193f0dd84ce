#include "workload/model/expert_loads.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <numeric>

using namespace orrery;

namespace {

// 4 ranks with 2 experts each, 1,000 tokens of 2 copies.
TransformerWorkload workload(ExpertLoad kind) {
  TransformerWorkload result;
  result.model.layers = 2;
  result.model.experts.count = 8;
  result.model.experts.top_k = 2;
  result.training.data = 4;
  result.training.global_batch = 8;
  result.training.experts.parallel = 4;
  result.training.experts.load.kind = kind;
  return result;
}

std::int64_t sum(const std::vector<std::int64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
}

}  // namespace

TEST_CASE("every rank sends all copies of its tokens, and what is sent arrives") {
  for (const ExpertLoad kind : {ExpertLoad::multinomial, ExpertLoad::zipf, ExpertLoad::dirichlet}) {
    ExpertLoads loads(workload(kind), 1'000);
    const ExpertLoads::Counts& counts = loads.counts({});
    for (std::size_t source = 0; source < 4; ++source) {
      const auto row = counts.pairs.begin() + static_cast<std::ptrdiff_t>(4 * source);
      CHECK(std::accumulate(row, row + 4, std::int64_t{0}) == 2'000);
    }
    CHECK(sum(counts.arriving) == 8'000);
    for (std::size_t target = 0; target < 4; ++target)
      CHECK(counts.arriving[target] == counts.pairs[target] + counts.pairs[4 + target] +
                                           counts.pairs[8 + target] + counts.pairs[12 + target]);
  }
}

// Equally likely: 2,000 of 8,000 arrive at a rank. Of 8 draws of 250 with a variance of at most
// 1000 x 1/4 x 3/4 each, the standard deviation is below 39; 6 of them are 234.
TEST_CASE("a multinomial draw spreads about the mean, and differs by what it is drawn for") {
  ExpertLoads loads(workload(ExpertLoad::multinomial), 1'000);
  const std::vector<std::int64_t> first = loads.counts({0, 0, 0, 0}).arriving;
  for (const std::int64_t arriving : first) {
    CHECK(arriving > 2'000 - 234);
    CHECK(arriving < 2'000 + 234);
  }
  CHECK(loads.counts({1, 0, 0, 0}).arriving != first);
  CHECK(loads.counts({0, 1, 0, 0}).arriving != first);
  CHECK(loads.counts({0, 0, 1, 0}).arriving != first);
  CHECK(loads.counts({0, 0, 0, 1}).arriving != first);
  CHECK(ExpertLoads(workload(ExpertLoad::multinomial), 1'000).counts({}).arriving == first);
}

// 16 are kept at least; after 1,000 others the first is drawn again, the same.
TEST_CASE("a draw that was forgotten comes out the same") {
  ExpertLoads loads(workload(ExpertLoad::zipf), 1'000);
  const std::vector<std::int64_t> first = loads.counts({}).pairs;
  for (std::int32_t i = 1; i <= 1'000; ++i) loads.counts({0, i, 0, 0});
  CHECK(loads.counts({}).pairs == first);
}

// Shares of 1/i, i to 8, sum to 2.717857; a token chooses two, so the probabilities are 2/2.717857
// = 0.735874 of that: 0.735874, 0.367937, 0.245291, ...
TEST_CASE("Zipf's law, in an order that is drawn for each layer") {
  ExpertLoads loads(workload(ExpertLoad::zipf), 1'000);
  std::vector<double> chosen = loads.chosen({});
  CHECK(loads.chosen({0, 1, 0, 0}) == chosen);
  CHECK(loads.chosen({0, 0, 1, 0}) != chosen);
  std::sort(chosen.begin(), chosen.end(), std::greater<>());
  CHECK(chosen[0] == Approx(0.735874).epsilon(1e-5));
  CHECK(chosen[1] == Approx(0.367937).epsilon(1e-5));
  CHECK(chosen[7] == Approx(0.091984).epsilon(1e-5));
  TransformerWorkload each = workload(ExpertLoad::zipf);
  each.training.experts.load.redraw = Redraw::micro_batch;
  CHECK(ExpertLoads(each, 1'000).chosen({0, 1, 0, 0}) !=
        ExpertLoads(each, 1'000).chosen({0, 0, 0, 0}));
}

// i^-4 would give the first expert 2 x 0.92 of a token's copies: it gets one of every token, and
// the others share what is left: 1 x 2^-4 / (sum of i^-4 from 2 to 8 = 0.0817835).
TEST_CASE("no expert gets more copies than there are tokens") {
  TransformerWorkload steep = workload(ExpertLoad::zipf);
  steep.training.experts.load.alpha = 4;
  ExpertLoads loads(steep, 1'000);
  std::vector<double> chosen = loads.chosen({});
  std::sort(chosen.begin(), chosen.end(), std::greater<>());
  CHECK(chosen[0] == 1);
  CHECK(chosen[1] == Approx(0.0625 / 0.0817835).epsilon(1e-4));
  for (const std::int64_t copies : loads.counts({}).pairs) CHECK(copies <= 2'000);
}

// Trace rows: two layers of the first micro-batch, two of the second; then from the beginning.
TEST_CASE("popularity from a trace, and skew that fades") {
  TransformerWorkload traced = workload(ExpertLoad::trace);
  ExpertLoadSpec& load = traced.training.experts.load;
  load.weights = {{1, 1, 1, 1, 0, 0, 0, 0},
                  {0, 0, 0, 0, 1, 1, 1, 1},
                  {2, 1, 1, 0, 0, 0, 0, 0},
                  {1, 1, 1, 1, 1, 1, 1, 1}};
  ExpertLoads loads(traced, 1'000);
  const std::vector<std::int64_t> first = loads.counts({}).arriving;
  CHECK(first[0] + first[1] == 8'000);
  CHECK(first[0] == Approx(4'000).margin(300));
  CHECK(ExpertLoads(traced, 1'000).counts({0, 0, 1, 0}).arriving[0] == 0);
  CHECK(ExpertLoads(traced, 1'000).chosen({0, 1, 0, 0})[0] == 1);
  CHECK(ExpertLoads(traced, 1'000).chosen({0, 1, 1, 0})[7] == Approx(0.25));
  CHECK(ExpertLoads(traced, 1'000).chosen({1, 0, 0, 0})[0] == Approx(0.5));
  // Half of the skew is left: 1/8 + (1/4 - 1/8) / 2 = 3/16 of 2 copies.
  load.persistence = 0.5;
  CHECK(ExpertLoads(traced, 1'000).chosen({1, 0, 0, 0})[0] == Approx(0.375));
  CHECK(ExpertLoads(traced, 1'000).chosen({1, 0, 0, 0})[7] == Approx(0.125));
}

// Two experts get all: of 1,000 tokens of a rank each takes 1,000; the capacity is 1.5 x 2000 / 8.
TEST_CASE("what is beyond the capacity is dropped") {
  TransformerWorkload traced = workload(ExpertLoad::trace);
  traced.training.experts.load.weights = {{1, 1, 0, 0, 0, 0, 0, 0}};
  traced.training.experts.capacity = 1.5;
  CHECK(ExpertLoads(traced, 1'000).counts({}).arriving ==
        std::vector<std::int64_t>{4 * 2 * 375, 0, 0, 0});
}
