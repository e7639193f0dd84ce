// What a written micro_batch does to the batch: to one that nobody writes, and to what is said of
// one that does not suit it.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "core/base/config_error.h"
#include "frontends/yaml/load_experiment.h"
#include "tests/paths.h"

namespace orrery {
namespace {

TransformerTraining trained_on(const std::string& platform, const std::string& training) {
  const Experiment experiment = load_experiment(
      source_folder() + "/tests/frontends/yaml/good/minimal.yaml",
      {{"platform=" + platform},
       {"workload={transformer: {preset: llama3.2-1b, sequence: 4096}, training: " + training +
        "}"}});
  return std::get<TransformerWorkload>(experiment.workload.what).training;
}

// 24 ranks of micro-batches of 7 take 168 samples, of 4 they take 96; 4 Mi tokens are 1024 samples.
TEST_CASE("a batch that nobody writes has whole micro-batches of the size that is written") {
  for (const auto& [micro, batch] : {std::pair(7, 1008), std::pair(4, 1056)}) {
    const TransformerTraining training =
        trained_on("{nodes: 3, server: hgx-a100-80gb}", fmt::format("{{micro_batch: {}}}", micro));
    CHECK(training.micro_batch == micro);
    CHECK(training.global_batch == batch);
  }
}

// 8 NPUs of 3 samples each take 24; 32 samples hold them once.
TEST_CASE("the remedy of a batch is a multiple that all NPUs can share") {
  CHECK_THROWS_WITH(trained_on("hgx-h100", "{global_batch: 32, micro_batch: 3}"),
                    Catch::Contains("32 samples are not a multiple of micro_batch x data = 3 x 8: "
                                    "write a multiple of 24, for example 48"));
  CHECK(trained_on("hgx-h100", "{global_batch: 48, micro_batch: 3}").data == 8);
}

}  // namespace
}  // namespace orrery
