// The HOTI'20 study on the analytical backend, from the example files: what must hold by arithmetic
// and what the deck and the rebuilt model say (S. Rashidi et al., HOTI 2020; 128 V100 at 60
// TFLOP/s).
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"
#include "tests/paths.h"

namespace orrery {
namespace {

const std::string kExamples = source_folder() + "/examples/";

// Each system is simulated once for all cases.
const RunResult& result_of(const std::string& system) {
  static std::map<std::string, RunResult> results;
  const auto found = results.find(system);
  if (found != results.end()) return found->second;
  const Experiment experiment = load_experiment(kExamples + "flat-vs-hier/" + system + ".yaml", {});
  return results.emplace(system, simulate(experiment)).first->second;
}

constexpr const char* kSystems[] = {"flat100g", "flat800g", "hier", "hieropt"};

const LayerRow& row(const RunResult& result, const std::string& layer, int iteration, Pass pass) {
  for (const LayerRow& candidate : result.layers)
    if (candidate.name == layer && candidate.iteration == iteration && candidate.pass == pass)
      return candidate;
  throw std::logic_error("no row " + layer);
}

TotalBytes bytes_on(const RunResult& result, const std::string& level,
                    const std::string& collective) {
  for (const LevelRow& candidate : result.levels)
    if (candidate.name == level && candidate.collective == collective) return candidate.bytes;
  return {};
}

TEST_CASE("every rank's time is compute, exposed and idle, and a DLRM loop is never idle") {
  for (const char* system : kSystems) {
    const RunResult& result = result_of(system);
    std::int32_t ranks = 0;
    for (const RankRow& rank : result.ranks) ranks += rank.multiplicity;
    REQUIRE(ranks == 128);
    for (const RankRow& rank : result.ranks) {
      CHECK(rank.compute + rank.exposed + rank.idle == rank.finish);
      CHECK(rank.idle == Duration{});
    }
    Duration exposed, compute;
    for (const LayerRow& layer : result.layers) {
      exposed += layer.exposed;
      compute += layer.compute;
      CHECK(layer.raw >= layer.raw_bound);
    }
    CHECK(exposed == result.exposed);
    CHECK(compute == result.compute);
    Duration by_kind;
    for (const ExposedBy& kind : result.exposed_by) by_kind += kind.exposed;
    CHECK(by_kind == result.exposed);
    CHECK(result.finish >= result.bound);
  }
}

// 57.41 M parameters of 2 bytes; 3 passes of 2 * 512 * in * out FLOP at 60 TFLOP/s, less nothing:
// the first MLP layer's input gradient is computed (the embeddings are below it). Two iterations.
TEST_CASE("the rebuilt model has 114.8 MB of gradients and computes 2.94 ms per iteration") {
  const RunResult& result = result_of("flat100g");
  Bytes gradients;
  for (const LayerRow& layer : result.layers)
    if (layer.iteration == 1 && layer.pass == Pass::weight_gradient) gradients += layer.bytes;
  CHECK(static_cast<double>(gradients.value) == Approx(114.8e6).epsilon(0.005));
  CHECK(static_cast<double>(result.compute.value) == Approx(2 * 2.94e9).epsilon(0.005));
}

// All-to-all 4,194,304 B * 127/128 at 12.5 GB/s = 0.333 ms less 0.119 ms of bottom MLP = 0.214 ms.
// At 800 Gb/s it takes 0.042 ms, which the bottom MLP hides.
TEST_CASE("the forward all-to-all is exposed beyond the bottom MLP") {
  const Duration exposed = row(result_of("flat100g"), "Embedding", 1, Pass::forward).exposed;
  CHECK(static_cast<double>(exposed.value) == Approx(0.214e9).epsilon(0.10));
  CHECK(row(result_of("flat800g"), "Embedding", 1, Pass::forward).exposed == Duration{});
}

TEST_CASE("the layer with the largest exposed all-reduce is Top_0") {
  for (const char* system : {"flat100g", "hier"})
    for (const int iteration : {1, 2}) {
      const LayerRow* largest = nullptr;
      for (const LayerRow& layer : result_of(system).layers)
        if (layer.iteration == iteration && layer.collective == "all_reduce" &&
            (largest == nullptr || layer.exposed > largest->exposed))
          largest = &layer;
      REQUIRE(largest != nullptr);
      CHECK(largest->name == "MLP_Top_0");
    }
}

TEST_CASE("the systems come in the order of the study") {
  const Duration flat100 = result_of("flat100g").finish, flat800 = result_of("flat800g").finish;
  const Duration hier = result_of("hier").finish, hieropt = result_of("hieropt").finish;
  CHECK(hieropt < hier);
  CHECK(flat800 < flat100);
  CHECK(hieropt < flat100);
  // Both are bound by 100 Gb/s NICs that carry nearly the same: 18.2 and 16.1 ms per iteration.
  CHECK(static_cast<double>(hier.value) ==
        Approx(static_cast<double>(flat100.value)).epsilon(0.25));
}

// Flat: 2 (N-1) S on the fabric. Hier: 2 (8-1) S for each of 16 local ranks; HierOpt 1/16 of it.
TEST_CASE("bytes on the fabric are those of the algorithms, exactly") {
  Bytes gradients;
  for (const LayerRow& layer : result_of("hier").layers)
    if (layer.pass == Pass::weight_gradient) gradients += layer.bytes;
  CHECK(bytes_on(result_of("flat100g"), "fabric", "all_reduce") == gradients * (2 * 127));
  CHECK(bytes_on(result_of("hier"), "fabric", "all_reduce") == gradients * (2 * 7 * 16));
  CHECK(bytes_on(result_of("hieropt"), "fabric", "all_reduce") == gradients * (2 * 7));
  CHECK(bytes_on(result_of("hier"), "node", "all_reduce") ==
        bytes_on(result_of("hieropt"), "node", "all_reduce"));
}

TEST_CASE("a layer says among how many its collective is, and by what") {
  for (const LayerRow& layer : result_of("hieropt").layers) {
    if (layer.collective == "all_reduce") {
      CHECK(layer.ranks == 128);
      CHECK(layer.algorithms == "direct+double_binary_tree, local_bandwidth_aware");
    }
    if (!layer.communicates()) CHECK(layer.algorithms.empty());
  }
  for (const LayerRow& layer : result_of("flat100g").layers)
    if (layer.communicates()) CHECK(layer.ranks == 128);
}

// A2-11 of the study: LIFO lowers what the bottom layers expose and lengthens the raw latency of
// the top layers, which are issued first.
TEST_CASE("LIFO against FIFO on the whole study") {
  const auto run = [](const std::string& policy) {
    return simulate(load_experiment(
        kExamples + "flat-vs-hier/hieropt.yaml",
        {{"system.scheduling=" + policy}, {"platform.topology.levels.1.bandwidth=25 Gb/s"}}));
  };
  const RunResult lifo = run("lifo"), fifo = run("fifo");
  const auto bottom = [](const RunResult& result) {
    Duration exposed;
    for (const LayerRow& layer : result.layers)
      if (layer.iteration == 1 && layer.pass == Pass::weight_gradient &&
          layer.name.starts_with("MLP_Bottom"))
        exposed += layer.exposed;
    return exposed;
  };
  CHECK(bottom(lifo) < bottom(fifo));
  const auto top_raw = [](const RunResult& result) {
    return row(result, "MLP_Top_10", 1, Pass::weight_gradient).raw;
  };
  CHECK(top_raw(lifo) > top_raw(fifo));
  // The all-to-all goes first, so it is far quicker than an all-reduce of twice its size.
  CHECK(row(lifo, "Embedding", 1, Pass::input_gradient).raw * 2 <
        row(lifo, "MLP_Bottom_6", 1, Pass::weight_gradient).raw);
}

// The public sample of ASTRA-sim 1.0, two passes: 2 * (19.020 + 18.714 + 13.644) us; layer 0's
// input gradient is never computed.
TEST_CASE("the public sample computes 102.756 us on every rank") {
  const RunResult result = simulate(load_experiment(kExamples + "dlrm-text/dlrm-text.yaml", {}));
  for (const RankRow& rank : result.ranks) {
    CHECK(rank.compute == nanoseconds(102'756));
    CHECK(rank.compute + rank.exposed + rank.idle == rank.finish);
    CHECK(rank.idle == Duration{});
  }
  for (const LayerRow& layer : result.layers)
    if (layer.name == "Embedding" && layer.pass == Pass::input_gradient)
      CHECK(layer.compute == Duration{});
}

TEST_CASE("the same experiment has the same fingerprint, another one has not") {
  const std::string file = kExamples + "dlrm-text/dlrm-text.yaml";
  const RunResult one = simulate(load_experiment(file, {}));
  const RunResult two = simulate(load_experiment(file, {}));
  const RunResult other = simulate(load_experiment(file, {{"system.injection_latency=11 ns"}}));
  CHECK(one.fingerprint == two.fingerprint);
  CHECK(one.fingerprint != other.fingerprint);
}

TEST_CASE("a job that is stuck says who waits for whom") {
  try {
    simulate(load_experiment(kExamples + "stuck/stuck.yaml", {}));
    FAIL("it is not stuck");
  } catch (const StuckError& error) {
    CHECK(std::string(error.what()).find("waits for receive") != std::string::npos);
    CHECK(error.partial.partial);
  }
}

TEST_CASE("stopping gives a partial result that says so") {
  const Experiment experiment = load_experiment(kExamples + "flat-vs-hier/hieropt.yaml", {});
  int asked = 0;
  const RunResult result =
      simulate(experiment, {.stop = [&] { return ++asked > 10; }, .progress = {}});
  CHECK(result.partial);
  CHECK(result.partial_reason == "interrupted");
  Duration exposed;
  for (const LayerRow& layer : result.layers) exposed += layer.exposed;
  CHECK(exposed == result.exposed);
  for (const RankRow& rank : result.ranks)
    CHECK(rank.compute + rank.exposed + rank.idle == rank.finish);
}

TEST_CASE("a run may leave its links out") {
  const Experiment experiment = load_experiment(kExamples + "flat-vs-hier/hieropt.yaml", {});
  const RunResult with = simulate(experiment);
  SimulateOptions options;
  options.links = false;
  const RunResult without = simulate(experiment, options);
  CHECK_FALSE(with.links.empty());
  CHECK(without.links.empty());
  CHECK(without.fingerprint == with.fingerprint);
  CHECK(without.bound_by == with.bound_by);
}

// A run that is stopped at one of the first three questions has not begun.
TEST_CASE("a message on its way when a run is stopped is no missing receive") {
  const Experiment experiment = load_experiment(kExamples + "pipeline-trace/pipeline.yaml", {});
  for (int polls = 3; polls < 43; ++polls) {
    int asked = 0;
    const RunResult result =
        simulate(experiment, {.stop = [&] { return ++asked > polls; }, .progress = {}});
    for (const std::string& notice : result.notices)
      CHECK(notice.find("never received") == std::string::npos);
  }
}

}  // namespace
}  // namespace orrery
