#include "simulation/collective_operations.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/base/config_error.h"

using namespace orrery;

TEST_CASE("the four collectives of every library can be simulated", "[coll]") {
  const std::vector<Collective> kinds = simulated_operations();
  for (const Collective kind : {Collective::all_reduce, Collective::reduce_scatter,
                                Collective::all_gather, Collective::all_to_all}) {
    CHECK(std::count(kinds.begin(), kinds.end(), kind) == 1);
  }
}

TEST_CASE("bus bandwidth is algorithm bandwidth times nccl-tests' factor", "[coll]") {
  // 8 GB in 2 s.
  const Bytes size = bytes(8'000'000'000);
  const Duration time = milliseconds(2'000);
  CHECK(algorithm_bandwidth(size, time) == Approx(4.0));
  CHECK(bus_bandwidth("all_reduce", 8, size, time) == Approx(4.0 * 2 * 7 / 8));
  CHECK(bus_bandwidth("all_reduce", 2, size, time) == Approx(4.0));
  CHECK(bus_bandwidth("reduce_scatter", 8, size, time) == Approx(4.0 * 7 / 8));
  CHECK(bus_bandwidth("all_gather", 4, size, time) == Approx(4.0 * 3 / 4));
  CHECK(bus_bandwidth("all_to_all", 4, size, time) == Approx(4.0 * 3 / 4));
  CHECK(bus_bandwidth("broadcast", 4, size, time) == Approx(4.0));
}

TEST_CASE("an error is relative to what was measured", "[coll]") {
  CHECK(relative_error(microseconds(75), microseconds(100)) == Approx(-0.25));
  CHECK(relative_error(microseconds(150), microseconds(100)) == Approx(0.5));
}
