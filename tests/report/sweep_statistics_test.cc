// Medians, bands, fronts and effects of sweeps, each by hand.
#include "report/sweep_statistics.h"

#include <catch2/catch.hpp>

using namespace orrery;

// Sorted 10, 20, 30, 40, 100: rank 0.1 x 4 = 0.4 lies at 10 + 0.4 x 10 = 14, rank 3.6 at
// 40 + 0.6 x 60 = 76.
TEST_CASE("median and band of five repeats") {
  const Spread spread = spread_of({30, 10, 100, 20, 40});
  CHECK(spread.median == 30);
  CHECK(spread.low == Approx(14));
  CHECK(spread.high == Approx(76));
  CHECK(quantile({1, 8, 2, 4}, 0.5) == 3);  // halfway between 2 and 4
  CHECK(spread_of({7}).low == 7);
  CHECK(spread_of({7}).high == 7);
  CHECK(quantile({5, 1}, 0) == 1);
  CHECK(quantile({5, 1}, 1) == 5);
}

TEST_CASE("the front of nine points with ties") {
  const std::vector<TwoCosts> costs{
      {1, 9},  // front: the lowest first
      {2, 6},  // front
      {2, 6},  // its equal: front
      {2, 7},  // beaten by (2, 6), as low in the first
      {3, 6},  // beaten by (2, 6), as low in the second
      {4, 3},  // front
      {5, 5},  // beaten by (4, 3)
      {9, 1},  // front: the lowest second
      {10, 1}  // beaten by (9, 1)
  };
  CHECK(pareto_front(costs) ==
        std::vector<bool>{true, true, true, false, false, true, false, true, false});
  CHECK(pareto_front({}).empty());
}

// Four points cost 2: the best of them has the first value of the first key, and of the second.
TEST_CASE("of points that cost the same the one with the first values is the best") {
  const std::vector<GridCost> points{
      {{0, 0}, 3}, {{1, 1}, 2}, {{0, 2}, 2}, {{0, 1}, 2}, {{1, 0}, 2}};
  CHECK(best_of(points) == 3U);
}

// Costs by row (key 0) and column (key 1); x failed:
//   14 11 12
//   13 10 19
//   15  x 18
// The best is 10, in the middle. Its column has 11 and the failed one: key 0 costs 1 more. Its row
// has 13 and 19: key 1 costs 3 to 9 more.
TEST_CASE("effects about the best point of a 3 x 3 grid with one failed point") {
  std::vector<GridCost> points;
  const std::vector<std::vector<double>> costs{{14, 11, 12}, {13, 10, 19}, {15, -1, 18}};
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 3; ++column) {
      const double cost = costs[row][column];
      points.push_back({{row, column}, cost < 0 ? std::nullopt : std::optional(cost)});
    }
  REQUIRE(best_of(points) == 4U);
  const std::vector<KeyEffect> effects = effects_about(points, 4);
  REQUIRE(effects.size() == 2);
  CHECK(effects[0].key == 1);
  CHECK(effects[0].least == 3);
  CHECK(effects[0].most == 9);
  CHECK(effects[0].worst == 2);
  CHECK(effects[0].values == 2);
  CHECK(effects[0].failed == 0);
  CHECK(effects[1].key == 0);
  CHECK(effects[1].least == 1);
  CHECK(effects[1].most == 1);
  CHECK(effects[1].worst == 0);
  CHECK(effects[1].values == 1);
  CHECK(effects[1].failed == 1);
}

TEST_CASE("a grid without results has no best point") {
  CHECK_FALSE(best_of(std::vector<GridCost>{{{0}, std::nullopt}, {{1}, std::nullopt}}));
}
