// What a run will cost, before it begins.
#include <catch2/catch.hpp>
#include <utility>

#include "simulation/experiment.h"
#include "simulation/simulate.h"

namespace orrery {
namespace {

// An all-reduce of 1 MiB round a ring, in 16 chunks, which all divide.
Experiment all_reduce(std::int32_t ranks, Duration latency) {
  Experiment experiment;
  experiment.name = "ring";
  experiment.topology.levels = {
      {"fabric", LevelKind::switched, ranks, gigabytes_per_second(25), latency, Scope::scale_out}};
  ProgramSpec::Step step{};
  step.operation.what = CollectiveCall{Collective::all_reduce, 0, mebibytes(1), {}, {}};
  step.wait = true;
  ProgramSpec program;
  program.parts = {{{}, {step}}};
  experiment.workload.what = std::move(program);
  return experiment;
}

// A rank of a ring of 64 sends 2 x 63 messages for each chunk. One rank stands for all.
TEST_CASE("a forecast counts the messages of the ranks that are simulated") {
  const Forecast folded = forecast_of(all_reduce(64, microseconds(1)));
  CHECK(folded.unfolded_because == "");
  CHECK(folded.simulated == 1);
  CHECK(folded.messages == 2 * 63 * 16);
  CHECK(folded.remedy == "");
  // Without a latency nothing folds.
  const Forecast all = forecast_of(all_reduce(64, {}));
  CHECK(all.simulated == 64);
  CHECK(all.messages == 64 * 2 * 63 * 16);
}

// 4,096 x 2 x 4,095 x 16 messages are 537 million.
TEST_CASE("the forecast of a long run says what would shorten it") {
  const Forecast forecast = forecast_of(all_reduce(4096, {}));
  CHECK(forecast.messages == 536'739'840);
  CHECK(forecast.cpu_s > kLongRun);
  CHECK(forecast.remedy ==
        "every rank is simulated, because fabric has no latency; all_reduce of 1.049 MB by ring "
        "sends 100 % of the messages: fewer chunks, or an algorithm of fewer steps (algorithms: "
        "auto), is faster");
}

}  // namespace
}  // namespace orrery
