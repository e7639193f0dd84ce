// Training loops, folded: one rank of each pipeline stage stands for its tensor and data ranks, and
// the run is that of all ranks, bit for bit.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "core/base/random.h"
#include "network/topology/builders/rail.h"
#include "simulation/simulate.h"

namespace orrery {
namespace {

RunResult run(const Experiment& experiment, bool fold) {
  SimulateOptions options;
  options.fold = fold;
  return simulate(experiment, options);
}

class RandomTraining {
 public:
  explicit RandomTraining(std::uint64_t seed) : random_(seed, "training folding") {}

  Experiment make() {
    Experiment experiment;
    experiment.name = "random";
    experiment.npu.peak = teraflops_per_second(100);
    experiment.npu.memory_bandwidth = gigabytes_per_second(1'000);
    TransformerWorkload workload;
    fill(workload);
    const TransformerTraining& training = workload.training;
    add_levels(experiment.topology,
               training.tensor * training.context * training.data * training.pipeline);
    fill(experiment.system);
    experiment.workload.what = workload;
    experiment.workload.iterations = one_of<std::int32_t>({1, 1, 2});
    return experiment;
  }

 private:
  template <class T>
  T one_of(const std::vector<T>& values) {
    return values[random_.uniform_int(values.size())];
  }

  void fill(TransformerWorkload& workload) {
    TransformerSpec& model = workload.model;
    model.hidden = 256;
    model.heads = 8;
    model.sequence = 64;
    model.vocabulary = 1'024;
    model.element = bytes(2);
    model.gated = one_of<int>({0, 1}) == 1;
    model.tied_embeddings = one_of<int>({0, 1}) == 1;
    TransformerTraining& training = workload.training;
    training.tensor = one_of<std::int32_t>({1, 2, 4});
    training.context = one_of<std::int32_t>({1, 1, 2});
    training.context_method = one_of<ContextMethod>(
        {ContextMethod::ring, ContextMethod::all_gather, ContextMethod::ulysses});
    training.data = one_of<std::int32_t>({1, 2, 3, 4, 6, 8});
    training.pipeline = one_of<std::int32_t>({1, 2, 4});
    if (training.tensor * training.context * training.data * training.pipeline == 1)
      training.data = 2;
    training.sequence_parallel = training.tensor > 1 && one_of<int>({0, 1}) == 1;
    using enum PipelineSchedule;
    if (training.pipeline > 1)
      training.schedule = one_of<PipelineSchedule>(
          {gpipe, one_forward_one_backward, interleaved, zb_h1, zbv, dualpipe});
    if (training.schedule == interleaved) training.chunks = 2;
    model.layers = std::int64_t{training.pipeline} * training.stage_chunks();
    training.global_batch = std::int64_t{training.data} * training.pipeline * 4;
    if (training.pipeline == 1)
      training.sharding =
          one_of<Sharding>({Sharding::none, Sharding::zero1, Sharding::zero2, Sharding::zero3});
    else
      training.sharding = one_of<Sharding>({Sharding::none, Sharding::zero1});
    if (training.sharding != Sharding::zero3) training.bucket = bytes(200'000);
    training.order =
        one_of<RankOrder>({RankOrder::tensor_data_pipeline, RankOrder::tensor_pipeline_data});
  }

  void add_levels(TopologySpec& topology, std::int32_t ranks) {
    while (ranks > 1) {
      const std::int32_t size = std::min(ranks, one_of<std::int32_t>({2, 3, 4, 6, 8, 16}));
      if (ranks % size != 0) continue;
      const auto kind =
          one_of<LevelKind>({LevelKind::switched, LevelKind::switched, LevelKind::switched,
                             LevelKind::fully_connected, LevelKind::ring});
      topology.levels.push_back({"level " + std::to_string(topology.levels.size()), kind, size,
                                 gigabytes_per_second(one_of<std::int64_t>({50, 50, 400})),
                                 nanoseconds(one_of<std::int64_t>({500, 1'000})), Scope::local});
      ranks /= size;
    }
  }

  void fill(SystemSpec& system) {
    system.minimum_chunk = bytes(1'024);
    for (CollectiveSpec& spec : system.collectives) {
      spec.chunks = one_of<std::int32_t>({1, 2});
      spec.algorithms = {"ring"};
    }
    CollectiveSpec& reduce = system.collectives[static_cast<int>(Collective::all_reduce)];
    CollectiveSpec small = reduce;
    small.algorithms = {one_of<std::string>({"recursive_doubling", "ring", "pat", "direct"})};
    reduce.ranges = {{kibibytes(64), small}};
    if (one_of<int>({0, 0, 1}) == 1) system.sm_tax = {1, 4};
  }

  RandomStream random_;
};

// Two stages of a part sum its gradients, 12 ranks in lists, and a ring of all 24 the norm: 4 B, of
// which 12 parts in a node's share are 1 B each. Stages are rows of it, so all six ranks of a stage
// are alike, on nodes of two: on switches, and on rails, where any two nodes are as far apart.
TEST_CASE("of dualpipe one rank of each stage is simulated") {
  Experiment experiment;
  experiment.name = "dualpipe";
  experiment.npu.peak = teraflops_per_second(100);
  experiment.npu.memory_bandwidth = gigabytes_per_second(1'000);
  const Wire wire{gigabytes_per_second(50), nanoseconds(500)};
  const std::string backend = GENERATE("analytical", "fluid");
  const Sharding sharding = GENERATE(Sharding::none, Sharding::zero1);
  const bool on_rails = GENERATE(false, true);  // where any two servers are as far apart
  if (!on_rails) {
    for (const std::int32_t size : {2, 12})
      experiment.topology.levels.push_back({"level " + std::to_string(size), LevelKind::switched,
                                            size, wire.bandwidth, wire.latency, Scope::local});
  } else {
    experiment.topology = build_rail({.node = {2, NodeInside::switched, wire, 2, wire, {}},
                                      .nodes = 12,
                                      .nodes_per_leaf = 0,
                                      .spines = 0,
                                      .wire = wire,
                                      .spine_wire = wire});
  }
  experiment.network.backend = backend;
  for (CollectiveSpec& spec : experiment.system.collectives) spec.algorithms = {"ring"};
  TransformerWorkload workload;
  workload.model.hidden = 250;  // gradients that 12 ranks do not divide
  workload.model.heads = 5;
  workload.model.sequence = 64;
  workload.model.vocabulary = 1'024;
  workload.model.element = bytes(2);
  workload.model.layers = 4;
  workload.training.data = 6;
  workload.training.pipeline = 4;
  workload.training.schedule = PipelineSchedule::dualpipe;
  workload.training.global_batch = 48;
  workload.training.sharding = sharding;
  experiment.workload.what = workload;
  const RunResult folded = run(experiment, true), full = run(experiment, false);
  CHECK(folded.unfolded_because == "");
  CHECK(folded.ranks.size() == 4);
  CHECK(full.ranks.size() == 24);
  CHECK(folded.fingerprint == full.fingerprint);
  CHECK(folded.finish == full.finish);
  CHECK(folded.messages == full.messages);
}

void compare_folded_and_full(std::uint64_t first, std::uint64_t end, int at_least) {
  int partly = 0;
  for (std::uint64_t seed = first; seed < end; ++seed) {
    INFO("seed " << seed);
    Experiment experiment = RandomTraining(seed).make();
    if (seed % 3 == 0) experiment.network.backend = "fluid";
    const RunResult folded = run(experiment, true), full = run(experiment, false);
    INFO(folded.unfolded_because);
    CHECK(folded.fingerprint == full.fingerprint);
    CHECK(folded.finish == full.finish);
    CHECK(folded.messages == full.messages);
    CHECK(folded.bound == full.bound);
    CHECK(folded.exposed_by.size() == full.exposed_by.size());
    CHECK(folded.links.size() == full.links.size());
    partly += folded.folded && folded.ranks.size() > 1;
  }
  CHECK(partly >= at_least);
}

TEST_CASE("a folded training loop is that of all ranks") { compare_folded_and_full(1, 60, 20); }

TEST_CASE("a folded training loop is that of all ranks, many of them", "[slow]") {
  compare_folded_and_full(1'000, 2'500, 500);
}

}  // namespace
}  // namespace orrery
