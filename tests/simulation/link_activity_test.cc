// What a run says of its links over time, against an experiment that can be followed by hand.
#include <catch2/catch.hpp>

#include <fstream>
#include <map>

#include "frontends/yaml/load_experiment.h"
#include "report/csv_report.h"
#include "report/text_report.h"
#include "simulation/simulate.h"
#include "tests/paths.h"

namespace orrery {
namespace {

// A ring of two halves 1 MB: 0.5 MB to the other, twice. At 25 GB/s each takes 20 us on every link,
// and 2 us more to arrive: the links up are busy from 0 to 20 us and 22 to 42 us. 100 us of
// computing later, at 144 us, all of it once more; the end is at 188 us.
constexpr const char* one_level =
    "{name: fabric, kind: switch, size: 2, bandwidth: 25 GB/s, latency: 1 us}";

RunResult run(const std::string& backend, bool activity, const std::string& levels = one_level) {
  const std::string file = build_folder() + "/link_activity_test.yaml";
  std::ofstream(file) << "name: gaps\nplatform: {topology: {levels: [" << levels
                      << "]}}\nnetwork: {backend: " << backend
                      << "}\nsystem: {algorithms: ring, chunks: 1, injection_latency: 0 "
                         "ns}\nworkload:\n  program:\n"
                         "    - operations: [{all_reduce: 1 MB}, {compute: 100 us}, "
                         "{all_reduce: 1 MB}]\n";
  SimulateOptions options;
  options.activity = activity;
  return simulate(load_experiment(file, {}), options);
}

// 188 intervals of 1 us: 256 of 0.5 us would be too short.
TEST_CASE("a link is as busy as its messages make it, when they do") {
  for (const char* backend : {"analytical", "fluid"}) {
    const RunResult result = run(backend, true);
    REQUIRE(result.finish == microseconds(188));
    REQUIRE(result.links.size() == 4);
    std::map<std::string, TotalBytes> sums;
    for (const LinkActivityRow& row : result.link_activity) {
      REQUIRE(row.end - row.begin == microseconds(1));
      sums[row.link()] += row.bytes;
      if (row.link() != "npu 0 -> switch 2") continue;
      const auto us = row.begin.value / microseconds(1).value % 144;
      const bool busy = us < 20 || (us >= 22 && us < 42);
      CHECK(row.bytes == bytes(busy ? 25'000 : 0));
      CHECK(row.utilisation == (busy ? 1.0 : 0.0));
    }
    for (const LinkRow& link : result.links) CHECK(sums.at(link.name()) == link.bytes);
    CHECK_THAT(csv_table("link_activity.csv", std::vector{result}),
               Catch::Contains("\ngaps,npu 0,switch 2,fabric,0,1000000,25000,1\n"));
  }
}

// An all-reduce of 1 MB sends 0.5 + 0.5 MB on each link of a node, 10 us at 100 GB/s, and half of
// that between nodes, 50 us at 10 GB/s: the busiest link is not the one with most bytes.
TEST_CASE("the busiest links come first, whatever their bytes") {
  const RunResult result =
      run("analytical", true,
          "{name: node, kind: switch, size: 2, bandwidth: 100 GB/s, latency: 1 us}, "
          "{name: fabric, kind: switch, size: 2, bandwidth: 10 GB/s, latency: 1 us}");
  CHECK(result.links.front().level == "fabric");
  CHECK(result.links.front().bytes == TotalBytes{bytes(1'000'000)});
  CHECK(result.links.back().level == "node");
  CHECK(result.links.back().bytes == TotalBytes{bytes(2'000'000)});
  CHECK(result.link_activity.front().level == "fabric");
}

// All-to-all of 8 MB: each of 4 NPUs sends 2 MB to each other one, 24 MB in all, which leave and
// enter by links of the leaves. Those between the two leaves, 4 NPUs to 2 others, are 16 MB. NPUs 0
// and 2 have the same place on different leaves: their messages cross links of `leaf`, too.
TEST_CASE("levels over time add up to what they carried, on a graph too") {
  const std::string file = build_folder() + "/graph_activity_test.yaml";
  for (const char* backend : {"analytical", "fluid", "queue", "credit", "packet"}) {
    std::ofstream(file) << "platform: {topology: {leaf_spine: {leaves: 2, spines: 2, plugs: 2, "
                           "bandwidth: 100 Gb/s, latency: 1 us}}}\nsystem: {algorithms: direct, "
                           "chunks: 1}\nnetwork: {backend: "
                        << backend
                        << "}\nworkload: {program: [{operations: [{all_to_all: 8 MB}]}]}\n";
    SimulateOptions options;
    options.activity = true;
    const RunResult result = simulate(load_experiment(file, {}), options);
    std::map<std::string, TotalBytes> sums, carried;
    for (const ActivityRow& row : result.activity) sums[row.level] += row.bytes;
    for (const LevelRow& row : result.levels) carried[row.name] += row.bytes;
    CHECK(sums == carried);
    CHECK(sums.at("leaf") == bytes(24'000'000));
    CHECK(sums.at("spine") == bytes(16'000'000));
  }
}

// Columns of 3 us: 18 us full; 18 to 21 and 21 to 24 us two thirds; full to 42 us.
TEST_CASE("the text report draws links over time") {
  const std::string busy = "@@@@@@**@@@@@@";
  CHECK_THAT(text_report(run("analytical", true), {}),
             Catch::Contains("npu 0 -> switch 2  fabric  |" + busy + std::string(34, ' ') + busy +
                             " |\n"));
}

TEST_CASE("without being asked, a run keeps nothing of links over time") {
  const RunResult result = run("analytical", false);
  CHECK(result.link_activity.empty());
  CHECK_THAT(text_report(result, {}), !Catch::Contains("over time"));
}

}  // namespace
}  // namespace orrery
