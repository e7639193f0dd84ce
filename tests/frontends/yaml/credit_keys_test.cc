// `network.credit`: the size of the buffers changes results on the backend that has them, is
// noticed on the others, and refused where nothing would fit.
#include <catch2/catch.hpp>
#include <string>

#include "core/base/config_error.h"
#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"
#include "tests/paths.h"

namespace orrery {
namespace {

RunResult run(const std::vector<Override>& overrides) {
  return simulate(
      load_experiment(source_folder() + "/examples/contention/interleaved.yaml", overrides));
}

// Eight rounds of 1 ms of computing and 25 MB in segments of 1 MB over links of 25 GB/s without
// latency: 40 us a segment. The finish is when a's last message is at rank 2, by way of rank 1.
// With room for two at rank 1 the links never rest (a segment is 2 x 40 us in a turn of the
// credits); with room for one, every second 40 us.
TEST_CASE("a buffer that cannot cover a turn of the credits costs time") {
  const auto finish = [](const char* buffer) {
    return run({{"network.backend=credit"},
                {"network.credit.segment=1 MB"},
                {std::string("network.credit.buffer=") + buffer}})
        .finish;
  };
  CHECK(finish("2 MB") == finish("100 MB"));
  CHECK(finish("1 MB") > finish("2 MB") + milliseconds(4));
}

TEST_CASE("buffers and segments of the credit backend are named as ignored by the others") {
  CHECK(run({{"network.credit.buffer=1 MB"}}).ignored ==
        std::vector<std::string>{"network.credit.buffer"});
}

TEST_CASE("a buffer that cannot hold a segment is refused") {
  std::string what = "accepted";
  try {
    run({{"network.credit.segment=128 KiB"}, {"network.credit.buffer=64 KiB"}});
  } catch (const ConfigError& error) {
    what = error.what();
  }
  CHECK_THAT(what, Catch::Contains("cannot hold a segment of 128 KiB"));
}

}  // namespace
}  // namespace orrery
