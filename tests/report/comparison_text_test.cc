#include "report/comparison_text.h"

#include <catch2/catch.hpp>
#include <sstream>
#include <vector>

#include "tests/report/sample_result.h"

using namespace orrery;

TEST_CASE("two systems side by side", "[report]") {
  std::vector<RunResult> results{test::sample(), test::faster_sample()};
  add_differences(results);
  // 50 / 37.5 = 1.333; 75 / 80 < 1 because the sample's bound was left as it is.
  CHECK(comparison_text(results, {.layers = true}) == R"(2 systems on the analytical backend

                           Ring   Switch
iteration time            50 us  37.5 us
times the fastest         1.333    1.000
finish                   100 us    75 us
lower bound               80 us    80 us
  bound by               fabric   fabric
  finish / lower bound    1.250    0.938
compute                   40 us    40 us
exposed                   50 us    25 us
  all_reduce              30 us    25 us
  all_to_all forward      20 us        -
idle                      10 us    10 us
busiest link
  fabric                   80 %     80 %
  node                        -      0 %
bytes sent by all ranks
  fabric, all_reduce       4 MB   500 kB
  fabric, all_to_all       8 kB        -
  node, all_reduce            -    16 kB
why
  Ring: compute, 40.0 %, bound by compute rate: a faster processor; next all_reduce on fabric,
      30.0 %, bound by bandwidth (90.0 % of it)
  Switch: compute, 40.0 %, bound by compute rate: a faster processor; next all_reduce on fabric,
      25.0 %, bound by bandwidth (90.0 % of it)

what makes the difference from the fastest, us an iteration
                                   Ring  Switch
iteration time                  +12.500       -
  all_to_all forward on fabric  +10.000       -
  all_reduce on fabric           +2.500       -

layers that communicate, times in us (raw: mean over ranks)
                                                  Ring           Switch
iteration  layer   pass             collective     raw  exposed     raw  exposed
        1  emb     forward          all_to_all  12.000   10.000   6.000    5.000
        1  top, 0  weight_gradient  all_reduce  25.500   15.000  12.750    7.500
        2  emb     forward          all_to_all  12.000   10.000   6.000    5.000
        2  top, 0  weight_gradient  all_reduce  25.500   15.000  12.750    7.500

        fingerprint                       messages  events
Ring    00112233445566778899aabbccddeeff        45     123
Switch  00112233445566778899aabbccddeeff        45     123
host: Ring: 0.500 s wall, 0.250 s CPU
host: Switch: 0.500 s wall, 0.250 s CPU
)");
}

TEST_CASE("more than four systems go into several tables", "[report]") {
  std::vector<RunResult> results(5, test::sample());
  for (std::size_t i = 0; i < results.size(); ++i) results[i].name = "system " + std::to_string(i);
  const std::string text = comparison_text(results);
  const auto heading_with = [&](const std::string& first, const std::string& last) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.find(first) != line.npos && line.find(last) != line.npos) return true;
    }
    return false;
  };
  CHECK(heading_with("system 0", "system 3"));
  CHECK_FALSE(heading_with("system 3", "system 4"));
  CHECK(heading_with("system 4", ""));
}

TEST_CASE("no line of a comparison with long names is wider than 100 columns", "[report]") {
  std::vector<RunResult> results(4, test::sample());
  for (RunResult& result : results) result.name = std::string(60, 'x');
  std::istringstream lines(comparison_text(results));
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
}

// 50 us for 4,000 tokens are 80 tokens a us, 37.5 us for 2,000 are 53.3: the faster iteration takes
// 1.5 times as long for a token.
TEST_CASE("of iterations of unequal size a comparison says so beside the fastest", "[report]") {
  std::vector<RunResult> results{test::sample(), test::faster_sample()};
  CHECK_THAT(comparison_text(results, {}), !Catch::Contains("tokens an iteration"));
  for (RunResult& result : results) result.training.emplace().stages.emplace_back();
  results[0].training->tokens = 4'000;
  results[0].training->tokens_per_s = 80e6;
  results[1].training->tokens = 2'000;
  results[1].training->tokens_per_s = 2'000 / 37.5e-6;
  CHECK_THAT(comparison_text(results, {}),
             Catch::Contains("times the fastest         1.333    1.000\n"
                             "  tokens an iteration      4000     2000\n"
                             "  of a token              1.000    1.500\n"));
}

TEST_CASE("a partial run is never the fastest", "[report]") {
  std::vector<RunResult> results{test::sample(), test::faster_sample()};
  results[1].partial = true;
  results[1].partial_reason = "stuck";
  const std::string text = comparison_text(results);
  CHECK_THAT(text, Catch::Contains("\nPARTIAL RESULT of Switch (stuck): "));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("times the fastest") != line.npos) {
      CHECK_THAT(line, Catch::Contains(" 1.000 ") && Catch::EndsWith(" partial"));
    }
  }
}

// Those that are busy for 90 % of the time or more, level by level; at most four by name.
TEST_CASE("a comparison names the saturated links") {
  std::vector<RunResult> systems{test::sample()};
  CHECK_THAT(comparison_text(systems), !Catch::Contains("saturated"));
  systems[0].links.clear();
  for (int i = 0; i < 6; ++i)
    systems[0].links.push_back({std::to_string(i), "x", "fabric", bytes(1), 0.9 + 0.01 * i});
  systems[0].links.push_back({"slack", "x", "fabric", bytes(1), 0.89});
  CHECK_THAT(comparison_text(systems),
             Catch::Contains("fabric: 5 -> x, 4 -> x, 3 -> x, 2 -> x, and 2 more\n"));
}

TEST_CASE("a comparison of backends says which is on which", "[report]") {
  std::vector<RunResult> results{test::sample(), test::faster_sample()};
  results[1].backend = "fluid";
  CHECK_THAT(
      comparison_text(results),
      Catch::StartsWith("2 systems on different backends (Ring: analytical, Switch: fluid)\n\n"));
}
