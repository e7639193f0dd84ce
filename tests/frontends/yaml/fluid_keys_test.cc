// `network.fluid`: the efficiency curve and the completion tolerance change results, or are
// refused.
#include <catch2/catch.hpp>
#include <string>

#include "core/base/config_error.h"
#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"
#include "tests/paths.h"

namespace orrery {
namespace {

RunResult run_fluid(const std::vector<Override>& overrides) {
  return simulate(
      load_experiment(source_folder() + "/examples/contention/interleaved.yaml", overrides));
}

std::string refusal_of(const std::string& setting) {
  try {
    run_fluid({{setting}});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

// Messages of 25 MB at 25 GB/s take 1 ms, at half of that 2 ms. In each of the eight rounds a and b
// compute for 1 ms and send for 2 ms; where they send at once, two limits of 12.5 GB/s just fill
// the link, so neither hinders the other: 8 x 3 ms.
TEST_CASE("half the efficiency doubles the time of a message") {
  CHECK(run_fluid({}).finish == milliseconds(16));
  const std::string half = "network.fluid.efficiency=[{size: 1 MB, share: 50 %}]";
  CHECK(run_fluid({{half}}).finish == milliseconds(24));
}

TEST_CASE("a completion tolerance says what it may have changed") {
  const RunResult result = run_fluid({{"network.fluid.completion_tolerance=0.05 %"}});
  bool said = false;
  for (const auto& notice : result.notices)
    said |= notice.find("0.05 % larger") != std::string::npos;
  CHECK(said);
}

TEST_CASE("efficiencies and tolerances without a meaning are refused") {
  using Catch::Contains;
  CHECK_THAT(refusal_of("network.fluid.efficiency=[{size: 1 MB, share: 0 %}]"), Contains("0 %"));
  CHECK_THAT(
      refusal_of("network.fluid.efficiency=[{size: 2 MB, share: 9 %}, {size: 1 MB, share: 8 %}]"),
      Contains("do not ascend"));
  CHECK_THAT(refusal_of("network.fluid.completion_tolerance=0.2 %"), Contains("0.1 % or less"));
}

}  // namespace orrery
