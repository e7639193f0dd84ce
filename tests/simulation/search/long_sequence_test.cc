// Context parallelism of long sequences, where no parallelism is written.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <utility>
#include <vector>

#include "simulation/result/memory_notice.h"
#include "simulation/search/search_space.h"
#include "tests/simulation/search/small_search.h"

namespace orrery {
namespace {

std::set<std::int32_t> contexts(std::int64_t sequence, std::vector<std::int32_t> listed = {}) {
  SearchSpec spec;
  spec.context = std::move(listed);
  TransformerSpec model;
  model.layers = 2;
  model.sequence = sequence;
  spec.tensor = {2};
  spec.pipeline = {1};
  std::set<std::int32_t> found;
  for (const ParallelChoice& choice : parallel_choices(spec, model, {64, 8}))
    found.insert(choice.context);
  return found;
}

TransformerTraining chosen(const std::string& platform, std::int64_t sequence) {
  const SearchFile file("platform: " + platform +
                        "\nworkload: {transformer: {preset: llama3-8b, sequence: " +
                        std::to_string(sequence) + "}, training: {global_batch: 4}}\n");
  const Experiment experiment = load_experiment(file.path(), {});
  CHECK(memory_notices(experiment).empty());
  return std::get<TransformerWorkload>(experiment.workload.what).training;
}

}  // namespace

// At least 8,192 tokens are left to a rank, and 64 NPUs in pairs are 32 ranks at most.
TEST_CASE("a long sequence may be shared by powers of two") {
  CHECK(contexts(16'384) == std::set{1});
  CHECK(contexts(32'768) == std::set{1, 2, 4});
  CHECK(contexts(3 * 16'384) == std::set{1, 2, 4});
  CHECK(contexts(1 << 20) == std::set{1, 2, 4, 8, 16, 32});
  CHECK(contexts(1 << 20, {1}) == std::set{1});
}

// 4 samples on 128 NPUs: with tensors in a node of 8 there are 16 groups. Four stages fill the
// ranks that 4 replicas of 8 leave, with a micro-batch each: three quarters of the time are bubble.
TEST_CASE("few long samples are shared rather than passed through stages") {
  const TransformerTraining training = chosen("{nodes: 16, server: hgx-b200}", 131'072);
  CHECK(training.context > 1);
  CHECK(training.pipeline == 1);
}

// Each of 32 layers keeps 4096 x 1 Mi x 2 B = 8.6 GB between layers if all is computed again:
// 275 GB of a sample, which 8 ranks of a node do not have room for in any order of stages.
TEST_CASE("a sample that needs more than a node is shared between nodes") {
  const TransformerTraining training = chosen("{nodes: 8, server: hgx-h100}", 1 << 20);
  CHECK(training.context > 1);
}

}  // namespace orrery
