#include "report/collective_report.h"
#include "tests/paths.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

using namespace orrery;
using Catch::Contains;

namespace {

CollectiveRow row(const std::string& algorithm, Bytes size, Duration time) {
  CollectiveRow row;
  row.system = "four";
  row.operation = "all_reduce";
  row.ranks = 4;
  row.size = size;
  row.algorithm = algorithm;
  row.chunks = 16;
  row.time = time;
  return row;
}

std::string expected(const std::string& file) {
  std::ifstream stream(source_folder() + "/tests/report/" + file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

CollectiveResult two_algorithms() {
  CollectiveResult result;
  result.backend = "analytical";
  result.rows = {row("ring", bytes(4'000), microseconds(18)),
                 row("ring", bytes(1'000'000), microseconds(250)),
                 row("ring", bytes(100'000'000), microseconds(20'000)),
                 row("direct", bytes(4'000), microseconds(8))};
  return result;
}

}  // namespace

// By hand. algbw = size / time: 4 kB / 18 us = 0.222 GB/s, 1 MB / 250 us = 4, 100 MB / 20 ms = 5,
// 4 kB / 8 us = 0.5; busbw of an all-reduce of 4 ranks = algbw * 2 * 3/4 = 1.5 algbw: 0.333,
// 6, 7.5, 0.75. Means: (0.3333 + 6 + 7.5) / 3 = 4.61111; 0.75. Widths as in nccl-tests: 12, 12, 8,
// 6, 6, then 7, 6, 6, 6 twice, two blanks between; times of 100 us and more with one decimal, of 10
// ms and more with none.
TEST_CASE("the text is the table of nccl-tests, one for each algorithm", "[report][coll]") {
  CHECK(collective_text(two_algorithms()) == expected("collective_table.txt"));
}

// 18 us against 20 us: -10 %; 250 us against 200 us: +25 %; mean of the amounts 17.5 %.
TEST_CASE("measured times add two columns and the mean error", "[report][coll]") {
  CollectiveResult result = two_algorithms();
  result.rows.resize(3);
  result.rows[0].measured = microseconds(20);
  result.rows[1].measured = microseconds(200);
  CHECK(collective_text(result) == expected("collective_table_measured.txt"));
}

// nccl-tests' count: 4-byte floats of one rank's piece, and "none" where nothing is added.
TEST_CASE("count and redop follow the operation", "[report][coll]") {
  CollectiveResult result = two_algorithms();
  result.rows.resize(1);
  result.rows[0].operation = "all_gather";
  CHECK_THAT(collective_text(result), Contains("\n       4000        250  float  none "));
  result.rows[0].operation = "reduce_scatter";
  CHECK_THAT(collective_text(result), Contains("\n       4000        250  float   sum "));
}

TEST_CASE("one chunk is told from several", "[report][coll]") {
  CollectiveResult result = two_algorithms();
  result.rows.resize(1);
  result.rows[0].chunks = 1;
  CHECK_THAT(collective_text(result), Contains("algorithm ring, 1 chunk, analytical"));
}

TEST_CASE("collectives as CSV and JSON have the columns of docs/results.md", "[report][coll]") {
  CollectiveResult result = two_algorithms();
  result.rows.resize(2);
  result.rows[1].measured = microseconds(200);
  result.host = {0.5, 0.25, 3'000'000};
  CHECK(collective_csv(result) ==
        "system,op,ranks,bytes,algorithm,chunks,time_ps,algbw_GBps,busbw_GBps,measured_ps,error,"
        "chosen\n"
        "four,all_reduce,4,4000,ring,16,18000000,0.2222222222222222,0.3333333333333333,,,\n"
        "four,all_reduce,4,1000000,ring,16,250000000,4,6,200000000,0.25,\n");
  const auto json = nlohmann::json::parse(collective_json(result));
  CHECK(json["schema"] == "orrery.coll/1");
  CHECK(json["backend"] == "analytical");
  REQUIRE(json["rows"].size() == 2);
  CHECK(json["rows"][1] == nlohmann::json{{"system", "four"},
                                          {"op", "all_reduce"},
                                          {"ranks", 4},
                                          {"bytes", 1'000'000},
                                          {"algorithm", "ring"},
                                          {"chunks", 16},
                                          {"time_ps", 250'000'000},
                                          {"algbw_GBps", 4.0},
                                          {"busbw_GBps", 6.0},
                                          {"measured_ps", 200'000'000},
                                          {"error", 0.25},
                                          {"chosen", nullptr}});
  CHECK(json["rows"][0]["measured_ps"].is_null());
  CHECK(json["rows"][0]["error"].is_null());
  CHECK(json["summaries"].size() == 1);
  CHECK(json["summaries"][0]["algorithm"] == "ring");
  CHECK(json["summaries"][0]["mean_absolute_error"] == 0.25);
  CHECK(json["summaries"][0]["measured_rows"] == 1);
  CHECK(json["host"]["peak_rss_bytes"] == 3'000'000);
}
