// Communication matrices of parallel groups given by hand, against the sets and bytes of the closed
// form (the first bars of the specification's experiments: 3-D parallelism over (p, t, d)).
#include <catch2/catch.hpp>

#include <fstream>
#include <map>
#include <set>

#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"
#include "tests/paths.h"
#include "tests/simulation/ring_matrix.h"

namespace orrery {
namespace {

struct Layout {
  int pipeline, tensor, data;
  int ranks() const { return pipeline * tensor * data; }
};

// Ranks: tensor fastest, then data, then pipeline. Per iteration: a tensor all-reduce of 8 MB, a
// data all-reduce of 64 MB, and 4 MB from each stage to the next; rings everywhere.
std::string experiment_of(const Layout& layout) {
  const int stride = layout.tensor * layout.data;
  std::string text = "name: groups\nplatform:\n  topology:\n    levels:\n";
  const auto level = [&](const char* name, int size) {
    if (size > 1)
      text += "      - {name: " + std::string(name) +
              ", kind: switch, size: " + std::to_string(size) +
              ", bandwidth: 25 GB/s, latency: 1 us}\n";
  };
  level("tensor", layout.tensor);
  level("data", layout.data);
  level("pipeline", layout.pipeline);
  text += "system: {algorithms: ring, chunks: 1}\nworkload:\n  program:\n";
  for (int stage = 0; stage < layout.pipeline; ++stage)
    for (int i = 0; i < stride; ++i) {
      const int rank = stage * stride + i;
      text += "    - ranks: " + std::to_string(rank) + "\n      operations:\n";
      if (stage > 0)
        text += "        - {receive: 4 MB, from: " + std::to_string(rank - stride) + "}\n";
      if (layout.tensor > 1) text += "        - {all_reduce: 8 MB, over: tensor}\n";
      if (stage + 1 < layout.pipeline)
        text += "        - {send: 4 MB, to: " + std::to_string(rank + stride) + "}\n";
      text += "        - {all_reduce: 64 MB, over: data}\n";
    }
  return text;
}

using test::add_ring;
using test::Matrix;

TEST_CASE("the communication matrix of 3-D parallelism is that of its groups") {
  for (const Layout layout :
       {Layout{4, 2, 4}, Layout{4, 4, 4}, Layout{2, 8, 4}, Layout{1, 1, 16}}) {
    INFO(layout.pipeline << "," << layout.tensor << "," << layout.data);
    const std::string file = build_folder() + "/traffic_matrix_test.yaml";
    std::ofstream(file) << experiment_of(layout);
    SimulateOptions options;
    options.matrix = true;
    const RunResult result = simulate(load_experiment(file, {}), options);

    std::map<std::string, Matrix> expected;
    const int t = layout.tensor, d = layout.data;
    for (int stage = 0; stage < layout.pipeline; ++stage) {
      const int base = stage * t * d;
      for (int i = 0; i < d; ++i) add_ring(expected["tensor"], base + i * t, 1, t, 8'000'000);
      for (int i = 0; i < t; ++i) add_ring(expected["data"], base + i, t, d, 64'000'000);
      for (int i = 0; i < t * d && stage + 1 < layout.pipeline; ++i)
        expected[""][{base + i, base + i + t * d}] = 4'000'000;
    }
    std::map<std::string, Matrix> found;
    for (const MatrixRow& row : result.matrix) {
      const std::string group = row.group.empty()                               ? ""
                                : row.group.find("tensor") != std::string::npos ? "tensor"
                                                                                : "data";
      found[group][{row.source, row.target}] += row.bytes.narrow().value;
    }
    std::erase_if(expected, [](const auto& entry) { return entry.second.empty(); });
    CHECK(found == expected);
  }
}

TEST_CASE("without being asked, a run keeps no communication matrix") {
  const std::string file = build_folder() + "/traffic_matrix_test.yaml";
  std::ofstream(file) << experiment_of({1, 2, 2});
  CHECK(simulate(load_experiment(file, {})).matrix.empty());
}

}  // namespace
}  // namespace orrery
