#include "core/base/elementary.h"

#include <catch2/catch.hpp>

using namespace orrery;

TEST_CASE("logarithm, exponential and power") {
  CHECK(natural_logarithm(1) == 0);
  CHECK(natural_logarithm(10) == Approx(2.302585092994046).epsilon(1e-15));
  CHECK(natural_logarithm(1e-300) == Approx(-690.7755278982137).epsilon(1e-15));
  CHECK(exponential_of(0) == 1);
  CHECK(exponential_of(1) == Approx(2.718281828459045).epsilon(1e-15));
  CHECK(exponential_of(-700) == Approx(9.85967654375977e-305).epsilon(1e-13));
  CHECK(power(2, 10) == Approx(1024).epsilon(1e-14));
  CHECK(power(9, -0.5) == Approx(1.0 / 3).epsilon(1e-14));
}
