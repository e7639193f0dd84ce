#include "report/numbers.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace orrery;

TEST_CASE("a table's time unit follows from its largest time", "[report]") {
  CHECK(common_unit(Duration{}).name == "ns");
  CHECK(common_unit(microseconds(1) - picoseconds(1)).name == "ns");
  CHECK(common_unit(microseconds(1)).name == "us");
  CHECK(common_unit(milliseconds(100) - picoseconds(1)).name == "us");
  CHECK(common_unit(milliseconds(100)).name == "ms");
  CHECK(common_unit(milliseconds(100'000)).name == "s");
}

TEST_CASE("a time in a unit has three decimals, rounded half away from zero", "[report]") {
  const TimeUnit us{"us", microseconds(1)};
  CHECK(in_unit(microseconds(17'039), us) == "17039.000");
  CHECK(in_unit(picoseconds(1'499), us) == "0.001");
  CHECK(in_unit(picoseconds(1'500), us) == "0.002");
  CHECK(in_unit(picoseconds(-1'500), us) == "-0.002");
  // The largest Duration, 9223372036854775807 ps: the rounding must not overflow.
  CHECK(in_unit({INT64_MAX}, {"s", milliseconds(1'000)}) == "9223372.037");
}

TEST_CASE("the shown percentages add up to 100.0", "[report]") {
  using Texts = std::vector<std::string>;
  // Thirds are 333.33 tenths each; the one that is missing goes to the first of the equal
  // remainders.
  CHECK(percentages(std::vector{picoseconds(1), picoseconds(1), picoseconds(1)}) ==
        Texts{"33.4 %", "33.3 %", "33.3 %"});
  // 1/6 = 166.67 tenths, 1/3 = 333.33, 1/2 = 500: the first has the largest remainder.
  CHECK(percentages(std::vector{picoseconds(1), picoseconds(2), picoseconds(3)}) ==
        Texts{"16.7 %", "33.3 %", "50.0 %"});
  CHECK(percentages(std::vector{picoseconds(0), picoseconds(7)}) == Texts{"0.0 %", "100.0 %"});
  CHECK(percentages(std::vector{picoseconds(0), picoseconds(0)}) == Texts{"-", "-"});
}

TEST_CASE("shares of nothing are a dash", "[report]") {
  CHECK(percentage(picoseconds(1), picoseconds(3)) == "33.3 %");
  CHECK(percentage(picoseconds(1), picoseconds(0)) == "-");
  CHECK(ratio(picoseconds(5), picoseconds(4)) == "1.250");
  CHECK(ratio(picoseconds(5), picoseconds(0)) == "-");
}
