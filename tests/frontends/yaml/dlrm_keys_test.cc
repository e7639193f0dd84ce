// Whether the look-ups of a recommendation model are counted.
#include <catch2/catch.hpp>

#include "core/base/config_error.h"
#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"
#include "tests/paths.h"

namespace orrery {
namespace {

using Catch::Matchers::Contains;

const std::string shape =
    "global_batch: 65536, sparse_features: 100, embedding_dimension: 128, dense_features: 13, "
    "bottom_mlp: [128], top_mlp: [1], data_type: fp16";

Experiment with(const std::string& model) {
  return load_experiment(
      source_folder() + "/tests/frontends/yaml/good/minimal.yaml",
      {{"platform={nodes: 16, server: hgx-h100}"}, {"workload={model: " + model + "}"}});
}

bool counts_rows(const std::string& model) {
  return std::get<DlrmSpec>(with(model).workload.what).embedding_traffic;
}

std::size_t notices_of_rows(const std::string& model) {
  std::size_t count = 0;
  for (const std::string& notice : simulate(with(model)).notices)
    count += notice.find("look-ups of the embedding tables take no time") != std::string::npos;
  return count;
}

// A rank reads 65,536 / 128 x 100 x 20 rows of 256 B, 262 MB, and twice that backwards: 235 us at
// 3.35 TB/s at least, which a hundred times the rows take a hundred times.
TEST_CASE("a model with pooling has its look-ups counted") {
  const std::string rows = "{" + shape + ", pooling: 20}";
  CHECK(counts_rows(rows));
  CHECK(notices_of_rows(rows) == 0);
  CHECK(simulate(with(rows)).finish > microseconds(235));
  CHECK(simulate(with("{" + shape + ", pooling: 2000}")).finish > microseconds(23'500));
}

TEST_CASE("look-ups of which nobody counts the time are pointed out") {
  CHECK(notices_of_rows("{" + shape + ", pooling: 20, embedding_traffic: false}") == 1);
  CHECK(notices_of_rows("dlrm-hoti20") == 1);
  CHECK(notices_of_rows("dlrm-dcnv2") == 0);
  CHECK(notices_of_rows("{" + shape + ", pooling: 20, embedding_lookup_time: 1 us}") == 0);
}

TEST_CASE("pooling is asked for where it has an effect") {
  CHECK_FALSE(counts_rows("{" + shape + ", embedding_lookup_time: 1 us}"));
  CHECK_FALSE(counts_rows("{" + shape + ", embedding_traffic: false}"));
  CHECK(counts_rows("{" + shape + ", lookups: 2000}"));
  CHECK_THROWS_WITH(with("{" + shape + "}"),
                    Contains("workload.model.pooling") && Contains("or embedding_traffic: false"));
}

}  // namespace
}  // namespace orrery
