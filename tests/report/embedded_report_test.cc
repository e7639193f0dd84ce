// What a C++ program that embeds Orrery prints: this test links neither YAML nor the command line.
#include <catch2/catch.hpp>

#include "report/text_report.h"
#include "simulation/simulate.h"
#include "tests/simulation/small_jobs.h"

using namespace orrery;

// A ring of two: each NPU sends 2 * 1/2 * 1 GB at 1 GB/s.
TEST_CASE("an experiment of C++ values is simulated and reported", "[report]") {
  const Experiment pair = with_program(
      without_latency({{"pair", LevelKind::switched, 2, gigabytes_per_second(1), Duration{}}}),
      Duration{}, bytes(1'000'000'000));
  CHECK_THAT(text_report(simulate(pair), {}),
             Catch::Contains("2 ranks, 1 iteration, seed 1\n") &&
                 Catch::Contains("exposed      1 s  100.0 %  waited for communication"));
}
