#include "workload/parallelism/taken_time.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

// Communication takes a quarter of the processor for 80 us. 30 us of work need 40 beside it. Of 100
// us 60 are done in these 80, and the other 40 alone: 120. A pass that computes half of its time
// loses half as much. What takes more meanwhile counts, and afterwards nothing is taken.
TEST_CASE("work takes longer beside communication, by hand") {
  TakenTime taken;
  CHECK(taken.longer({}, microseconds(30), microseconds(30)) == Duration{});
  taken.begins(microseconds(10), microseconds(90), 0.25);
  const Duration now = microseconds(10);
  CHECK(taken.longer(now, microseconds(30), microseconds(30)) == microseconds(10));
  CHECK(taken.longer(now, microseconds(100), microseconds(100)) == microseconds(20));
  CHECK(taken.longer(now, microseconds(200), microseconds(100)) == microseconds(10));
  CHECK(taken.longer(microseconds(90), microseconds(30), microseconds(30)) == Duration{});
  taken.begins(microseconds(50), microseconds(60), 0.5);
  CHECK(taken.longer(microseconds(50), microseconds(10), microseconds(10)) == microseconds(10));
}

}  // namespace
}  // namespace orrery
