// What the report says about a transformer's training: where every picosecond went.
#include <catch2/catch.hpp>

#include "simulation/simulate.h"

using namespace orrery;

namespace {

// 16 NPUs, 4 a node, slow enough that everything is exposed somewhere.
Experiment small(TransformerTraining training) {
  Experiment experiment;
  experiment.topology.levels = {
      {"node", LevelKind::switched, 4, gigabytes_per_second(100), microseconds(1), Scope::local},
      {"fabric", LevelKind::switched, 4, gigabytes_per_second(10), microseconds(5),
       Scope::scale_out}};
  experiment.npu.peak = teraflops_per_second(100);
  experiment.npu.memory_bandwidth = gigabytes_per_second(1'000);
  TransformerWorkload workload;
  workload.model.layers = 8;
  workload.model.hidden = 1'024;
  workload.model.heads = 8;
  workload.model.vocabulary = 8'192;
  workload.model.sequence = 512;
  workload.model.element = Bytes{2};
  workload.training = training;
  workload.training.global_batch = 32;
  experiment.workload.what = workload;
  experiment.workload.iterations = 2;
  return experiment;
}

Duration time_of(const StageRow& stage, const std::string& name) {
  for (const TrainingPart& part : training_parts(stage))
    if (part.name == name) return part.time;
  return {};
}

// Whatever the schedule and the kinds of parallelism: parts add up to the finish of the rank, and
// what is waited for is what the account of the rank says.
void check_parts(const RunResult& result, std::int32_t stages) {
  REQUIRE(result.training);
  REQUIRE(static_cast<std::int32_t>(result.training->stages.size()) == stages);
  for (const StageRow& stage : result.training->stages) {
    Duration all, waited, exposed;
    for (const TrainingPart& part : training_parts(stage)) {
      all += part.time;
      if (part.exposed) waited += part.time;
      CHECK(part.time >= Duration{});
    }
    for (const TrafficRow& row : stage.traffic) {
      exposed += row.exposed;
      CHECK(row.late <= row.exposed);
    }
    const RankRow& rank = result.ranks.at(static_cast<std::size_t>(stage.rank));
    CHECK(all == rank.finish);
    CHECK(waited == rank.exposed);
    CHECK(exposed == rank.exposed);
  }
  CHECK(result.training->last_stage().finish == result.finish);
}

}  // namespace

TEST_CASE("the parts of every stage's time add up to its finish") {
  using enum PipelineSchedule;
  for (const PipelineSchedule schedule :
       {gpipe, one_forward_one_backward, interleaved, zb_h1, zbv, dualpipe}) {
    TransformerTraining training;
    training.tensor = training.pipeline = 2;
    training.data = 4;
    training.sequence_parallel = true;
    training.schedule = schedule;
    training.chunks = schedule == interleaved ? 2 : 1;
    training.sharding = Sharding::zero1;
    SimulateOptions unfolded;
    unfolded.fold = false;
    check_parts(simulate(small(training), unfolded), 2);
  }
  TransformerTraining context;
  context.context = 4;
  context.data = 4;
  context.sharding = Sharding::zero3;
  SimulateOptions unfolded;
  unfolded.fold = false;
  check_parts(simulate(small(context), unfolded), 1);
}

// Of replicas alone, and of one with all kinds of neighbours.
TEST_CASE("folding changes nothing of a training's report") {
  TransformerTraining training;
  training.tensor = training.pipeline = GENERATE(1, 2);
  training.data = 16 / (training.tensor * training.pipeline);
  training.sharding = training.pipeline == 1 ? Sharding::zero2 : Sharding::zero1;
  const RunResult folded = simulate(small(training));
  SimulateOptions all;
  all.fold = false;
  const RunResult unfolded = simulate(small(training), all);
  REQUIRE(folded.folded);
  const auto& one = folded.training->last_stage().traffic;
  const auto& other = unfolded.training->last_stage().traffic;
  REQUIRE(one.size() == other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK(one[i].kind == other[i].kind);
    CHECK(one[i].exposed == other[i].exposed);
    CHECK(one[i].late == other[i].late);
    CHECK(one[i].hidden == other[i].hidden);
  }
  CHECK(folded.training->utilisation.back().flops == unfolded.training->utilisation.back().flops);
}

// A network that costs nothing leaves the bubble alone: (p-1)/(m+p-1) = 3/11 of the passes, all of
// it waiting for other stages. Layers alike, next to no vocabulary, scores nothing beside matrices.
TEST_CASE("without network cost all that a pipeline waits is its bubble") {
  TransformerTraining training;
  training.pipeline = 4;
  Experiment experiment = small(training);
  experiment.workload.iterations = 1;
  experiment.topology.levels = {{"fabric", LevelKind::switched, 4, Bandwidth{std::int64_t{1} << 60},
                                 Duration{}, Scope::scale_out}};
  experiment.system.injection_latency = experiment.system.local_injection_latency = Duration{};
  experiment.npu.memory_bandwidth.reset();
  auto& workload = std::get<TransformerWorkload>(experiment.workload.what);
  workload.model.hidden = 4'096;
  workload.model.vocabulary = 1;
  workload.model.sequence = 16;
  workload.training.global_batch = 8;
  const RunResult result = simulate(experiment);
  check_parts(result, 4);
  for (const StageRow& stage : result.training->stages) {
    const double share = static_cast<double>(time_of(stage, "bubble").value) /
                         static_cast<double>(stage.finish.value);
    CHECK(share == Approx(3.0 / 11).epsilon(0.001));
    CHECK(time_of(stage, "PP") < microseconds(1));
  }
}

// Two replicas at 100 TFLOP/s on a network that costs nothing: utilisation is 1 where exactly what
// is computed is counted.
TEST_CASE("utilisation of ranks that do nothing but matrix products is 1") {
  TransformerTraining training;
  training.data = 2;
  Experiment experiment = small(training);
  experiment.topology.levels = {{"fabric", LevelKind::switched, 2, Bandwidth{std::int64_t{1} << 60},
                                 Duration{}, Scope::scale_out}};
  experiment.system.injection_latency = experiment.system.local_injection_latency = Duration{};
  experiment.npu.memory_bandwidth.reset();
  std::get<TransformerWorkload>(experiment.workload.what).model.causal_kernel = false;
  const RunResult result = simulate(experiment);
  const double seconds = static_cast<double>(result.finish.value) * 1e-12;
  for (const UtilisationRow& row : result.training->utilisation) {
    const double share = 2 * row.flops / seconds / (2 * 100e12);  // 2 iterations
    if (row.convention == "executed") CHECK(share == Approx(1).epsilon(1e-4));
    // Flash attention computes half a forward pass of scores more, backwards.
    if (row.convention == "model") CHECK(share < 1);
    if (row.convention == "model") CHECK(share > 0.97);
  }
  CHECK(result.training->tokens == 32 * 512);
}
