#include "frontends/report/text_report.h"

#include <catch2/catch.hpp>

#include "tests/frontends/report/sample_result.h"

using namespace orrery;

TEST_CASE("the report of a run", "[report]") {
  // Shares of 100 us; 100/80 = 1.25; the rows without compute and collective are left out; links:
  // 0.8016 = 80.2 %.
  CHECK(text_report(test::sample(), {}) ==
        R"(Ring on the analytical backend: 2 ranks, 2 iterations, seed 7

finish       100 us          of the slowest rank
iteration     50 us          mean: finish / iterations
lower bound   80 us          fabric; finish is 1.250 times that
compute       40 us  40.0 %  of the rank that finishes last
exposed       50 us  50.0 %  waited for communication
idle          10 us  10.0 %  neither

why: bandwidth: fabric is full, npu 0 -> npu 1 is busy 80 % of the time

exposed by           time  of finish
all_reduce          30 us     30.0 %
all_to_all forward  20 us     20.0 %

layers, times in us
                                                            bytes     raw     raw     raw
iteration  layer   pass             compute  collective  per rank    mean     max   bound  exposed
        1  emb     forward            0.000  all_to_all      4 kB  12.000  12.000   6.000   10.000
        1  top, 0  weight_gradient   20.000  all_reduce      1 MB  25.500  25.500  12.750   15.000
        2  emb     forward            0.000  all_to_all      4 kB  12.000  12.000   6.000   10.000
        2  top, 0  weight_gradient   20.000  all_reduce      1 MB  25.500  25.500  12.750   15.000

                      bytes sent
level   collective  by all ranks
fabric  all_reduce          4 MB
fabric  all_to_all          8 kB

busiest links   level      bytes    busy
npu 0 -> npu 1  fabric  2.004 MB  80.2 %
npu 1 -> npu 0  fabric  2.004 MB  80.2 %

fingerprint  00112233445566778899aabbccddeeff
messages     45
events       123
host: 0.500 s wall, 0.250 s CPU, 3 MB peak memory
)");
}

TEST_CASE("a partial result says so", "[report]") {
  RunResult result = test::sample();
  result.partial = true;
  result.partial_reason = "interrupted";
  CHECK_THAT(text_report(result, {}),
             Catch::Contains("\nPARTIAL RESULT (interrupted): what follows is what was reached\n"));
}

TEST_CASE("an empty run is reported without dividing by zero", "[report]") {
  RunResult result;
  result.name = "nothing";
  result.bound_by = "compute";
  CHECK_THAT(text_report(result, {}), Catch::Contains("compute      0 s  -"));
}

TEST_CASE("only the busiest links are shown unless all are asked for", "[report]") {
  RunResult result = test::sample();
  result.links.assign(12, {"npu 0", "npu 1", "fabric", bytes(1), 0});
  CHECK_THAT(text_report(result, {}), Catch::Contains("(and 2 more: --all-links)\n"));
  CHECK_THAT(text_report(result, {.all_links = true}), !Catch::Contains("--all-links"));
}

TEST_CASE("of many iterations the first and the last are shown", "[report]") {
  RunResult result = test::sample();
  for (std::int32_t iteration = 3; iteration <= 9; ++iteration) {
    result.layers.push_back(result.layers.front());
    result.layers.back().iteration = iteration;
  }
  const std::string text = text_report(result, {});
  CHECK_THAT(text, Catch::Contains("(iterations 2 to 8 are in the CSV and JSON output)\n"));
  CHECK_THAT(text, Catch::Contains("\n        1  emb"));
  CHECK_THAT(text, !Catch::Contains("\n        8  emb"));
  CHECK_THAT(text, Catch::Contains("\n        9  emb"));
}

// The sample is busy 80 % on its fullest link and computes 40 % of its 100 us.
TEST_CASE("the diagnosis is computing, a full level, both in turn, or neither") {
  RunResult result = test::sample();
  CHECK_THAT(diagnosis(result), Catch::StartsWith("bandwidth: fabric is full"));
  for (LinkRow& link : result.links) link.utilisation = 0.3;
  CHECK_THAT(diagnosis(result), Catch::StartsWith("not bandwidth: no link is busy more than 30 %"));
  // 40 us of computing and 57 of a full link: they take turns, and 60 us were waited.
  result.links[1].utilisation = 0.57;
  CHECK_THAT(diagnosis(result),
             Catch::StartsWith("bandwidth, in phases: " + result.links[1].name()));
  result.links[1].utilisation = 0.5;  // 10 us are neither
  CHECK_THAT(diagnosis(result), Catch::StartsWith("not bandwidth"));
  result.packets.emplace();
  result.packets->drops = 46;
  CHECK_THAT(diagnosis(result), Catch::StartsWith("not bandwidth"));  // made up for in time
  result.packets->timeouts = 8;
  CHECK_THAT(diagnosis(result), Catch::StartsWith("lost packets: 46 lost"));
  result.compute = microseconds(86);
  result.exposed = microseconds(14);
  CHECK(diagnosis(result) == "computing takes 86 % of the time, exposed communication 14.0 %");
  result.partial = true;
  CHECK(diagnosis(result).empty());
}
