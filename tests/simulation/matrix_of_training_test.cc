// Communication matrices of training loops against the sets and bytes of the closed form (the first
// bars of the specification's experiments): every pair of ranks that exchanges, and what.
#include <catch2/catch.hpp>
#include <map>

#include "simulation/simulate.h"
#include "tests/simulation/ring_matrix.h"
#include "tests/simulation/rings.h"

namespace orrery {
namespace {

using test::add_ring;
using test::Matrix;
using Matrices = std::map<std::string, Matrix>;  // by group

// L = 8 layers, h = 64, s = 32, V = 256, 2 B activations, 4 B gradients.
struct Sizes {
  int pipeline, tensor, data;
};
constexpr std::int64_t layers = 8, hidden = 64, sequence = 32, vocabulary = 256, batches = 4;

Experiment training(const Sizes& sizes, std::int32_t iterations = 1) {
  Experiment experiment;
  for (const auto& [name, size] :
       {std::pair{"tensor", sizes.tensor}, {"data", sizes.data}, {"pipeline", sizes.pipeline}})
    if (size > 1)
      experiment.topology.levels.push_back({name, LevelKind::switched, size,
                                            gigabytes_per_second(25), nanoseconds(500),
                                            Scope::scale_out});
  experiment.npu.peak = teraflops_per_second(10);
  use_rings(experiment.system, 1);
  TransformerWorkload workload;
  workload.model.layers = layers;
  workload.model.hidden = hidden;
  workload.model.heads = 8;
  workload.model.vocabulary = vocabulary;
  workload.model.sequence = sequence;
  workload.model.element = Bytes{2};
  workload.training.pipeline = sizes.pipeline;
  workload.training.tensor = sizes.tensor;
  workload.training.data = sizes.data;
  workload.training.global_batch = batches * sizes.data;
  experiment.workload.what = workload;
  experiment.workload.iterations = iterations;
  return experiment;
}

Matrices matrices_of(const Experiment& experiment) {
  SimulateOptions options;
  options.matrix = true;
  Matrices matrices;
  for (const MatrixRow& row : simulate(experiment, options).matrix)
    matrices[row.group][{row.source, row.target}] += row.bytes.narrow().value;
  return matrices;
}

// Per stage and iteration, t, d and p written out:
//   tensor    4 all-reduces of Y = s h 2 B a layer and micro-batch; the first stage one more (the
//             embedding), the last one too (the head's input gradient), with 3 of 4 s B (the loss)
//   data      an all-reduce of 4 B for each parameter of a rank: (12 h^2)/t + 2 h a layer, V h / t
//             for the embedding and for the head, and the head's norm
//   pipeline  Y forwards and Y back for each micro-batch, from each rank to its neighbour
//   ends      an all-reduce of V h / t x 4 B between two ranks
Matrices expected_of(const Sizes& sizes) {
  const auto [p, t, d] = sizes;
  const std::int64_t y = sequence * hidden * 2;
  Matrices expected;
  for (int stage = 0; stage < p; ++stage) {
    const int base = stage * t * d;
    const bool first = stage == 0, last = stage == p - 1;
    const std::int64_t reduced =
        batches * (4 * (layers / p) * y + (first ? y : 0) + (last ? y + 3 * 4 * sequence : 0));
    const std::int64_t matrix = vocabulary * hidden / t;
    const std::int64_t parameters = layers / p * (12 * hidden * hidden / t + 2 * hidden) +
                                    (first ? matrix : 0) + (last && p > 1 ? matrix : 0) +
                                    (last ? hidden : 0);
    for (int i = 0; i < d; ++i) add_ring(expected["tensor"], base + i * t, 1, t, reduced);
    for (int i = 0; i < t; ++i) add_ring(expected["data"], base + i, t, d, 4 * parameters);
    for (int i = 0; i < t * d; ++i) {
      if (!last) expected[""][{base + i, base + i + t * d}] = batches * y;
      if (!first) expected[""][{base + i, base + i - t * d}] = batches * y;
      if (first && p > 1) add_ring(expected["pipeline ends"], i, (p - 1) * t * d, 2, 4 * matrix);
    }
  }
  std::erase_if(expected, [](const auto& entry) { return entry.second.empty(); });
  return expected;
}

}  // namespace

TEST_CASE("the communication matrix of a training loop is that of its groups") {
  for (const Sizes& sizes : {Sizes{4, 2, 4}, Sizes{4, 4, 4}, Sizes{2, 8, 4}, Sizes{1, 1, 16}}) {
    INFO(sizes.pipeline << "," << sizes.tensor << "," << sizes.data);
    Matrices found = matrices_of(training(sizes));
    std::int64_t norm = 0;  // 4 B over all, which comes in messages of a byte or so
    for (const auto& [pair, bytes] : found["world"]) norm = std::max(norm, bytes);
    if (sizes.pipeline > 1) CHECK(norm <= 3 * 8);
    found.erase("world");
    Matrices expected = expected_of(sizes);
    CHECK(found == expected);
  }
}

TEST_CASE("every iteration of a dense model sends the same") {
  Matrices one = matrices_of(training({4, 2, 4})), three = matrices_of(training({4, 2, 4}, 3));
  for (auto& [group, matrix] : one)
    for (auto& [pair, bytes] : matrix) bytes *= 3;
  CHECK(three == one);
  // The first one begins with all stages at once, the others where the last one's sums left them.
  const auto finish = [](int iterations) {
    return simulate(training({4, 2, 4}, iterations)).finish.value;
  };
  CHECK(finish(4) - finish(3) == finish(3) - finish(2));
}

}  // namespace orrery
