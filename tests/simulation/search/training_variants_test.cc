// Parallel configurations of an experiment that no file holds.
#include "simulation/search/training_variants.h"

#include <catch2/catch.hpp>

#include "simulation/search/fitting.h"
#include "simulation/search/search_space.h"

using namespace orrery;

namespace {

// Two nodes of two, two layers, four samples.
Experiment small() {
  Experiment experiment;
  LevelSpec node, fabric;
  node.size = fabric.size = 2;
  node.bandwidth = fabric.bandwidth = gigabytes_per_second(1);
  node.scope = Scope::local;
  experiment.topology.levels = {node, fabric};
  auto& workload = experiment.workload.what.emplace<TransformerWorkload>();
  workload.model.layers = 2;
  workload.model.hidden = 8;
  workload.model.heads = 2;
  workload.model.vocabulary = 16;
  workload.model.sequence = 8;
  workload.model.element = Bytes{2};
  workload.training.global_batch = 4;
  return experiment;
}

}  // namespace

TEST_CASE("a choice fills what it says, and the rest stays as it is written") {
  const TrainingVariants variants(small(), {});
  ParallelChoice choice;
  choice.tensor = 2;
  choice.recompute = Recompute::full;
  const auto meant = std::get<TransformerTraining>(variants.training(choice));
  CHECK(meant.tensor == 2);
  CHECK(meant.data == 2);
  CHECK(meant.sequence_parallel);
  CHECK(meant.recompute == Recompute::full);
  CHECK(meant.global_batch == 4);
  const TrainingVariants plain(small(), {"sequence_parallel"});
  CHECK_FALSE(std::get<TransformerTraining>(plain.training(choice)).sequence_parallel);
}

TEST_CASE("a choice that breaks a rule, or leaves a written setting without meaning") {
  ParallelChoice choice;
  choice.pipeline = 3;
  CHECK(std::get<SpecProblem>(TrainingVariants(small(), {}).training(choice)).key == "pipeline");
  choice.pipeline = 1;
  const TrainingVariants dispatching(small(), {"dispatch"});
  CHECK(std::get<SpecProblem>(dispatching.training(choice)).key == "dispatch");
}

// What they say more of, each in turn: sharded parameters, tensors, sequences, a full
// recomputation.
TEST_CASE("keys that say more of a parallelism do not decide whether there is one") {
  Experiment experiment = small();
  auto& training = std::get<TransformerWorkload>(experiment.workload.what).training;
  training.prefetch = 3;
  training.reshard_after_forward = false;
  training.shard_group = 2;
  training.overlap_parameters = true;
  training.overlap_tensor = true;
  training.context_method = ContextMethod::ulysses;
  training.recompute_layers = 1;
  training.order = RankOrder::tensor_pipeline_data;
  const std::vector<std::string> keys{
      "prefetch",       "reshard_after_forward", "shard_group",      "overlap_parameters",
      "overlap_tensor", "context_method",        "recompute_layers", "order"};
  const TrainingVariants variants(experiment, keys);
  ParallelChoice choice;
  const auto meant = [&] { return std::get<TransformerTraining>(variants.training(choice)); };
  for (const std::string& key : keys) CHECK(means_nothing(key, meant()));
  CHECK_FALSE(meant().overlap_tensor);
  choice.sharding = Sharding::zero3;
  CHECK(meant().prefetch == 3);
  CHECK(meant().shard_group == 2);
  CHECK_FALSE(meant().overlap_parameters);
  choice.sharding = Sharding::zero1;
  CHECK(meant().overlap_parameters);
  CHECK_FALSE(meant().reshard_after_forward);
  choice.sharding = Sharding::none;
  choice.tensor = 2;
  CHECK(meant().overlap_tensor);
  choice.tensor = 1;
  choice.context = 2;
  CHECK(meant().context_method == ContextMethod::ulysses);
  choice.context = 1;
  choice.recompute = Recompute::full;
  CHECK(meant().recompute_layers == 1);
  choice.pipeline = 2;
  CHECK(meant().order == RankOrder::tensor_pipeline_data);
}

// A window of 4 in sequences of 8: blocks that go round a ring would not be equal work. Of n tokens
// of 2 heads two ranks send each other (2 x 2 + 2 x 2) n / 2 with ulysses and 2 x 2 n with
// all_gather, as much; four ranks (4 x 4) n / 4 of 4 heads against 2 x 4 n. They have no 2 heads.
TEST_CASE("where a ring is refused and no method is written, what sends less is taken") {
  Experiment windows = small();
  TransformerSpec& model = std::get<TransformerWorkload>(windows.workload.what).model;
  model.window = 4;
  ParallelChoice choice;
  choice.context = 2;
  const auto method = [&](const Experiment& experiment) {
    const TrainingVariants variants(experiment, {});
    return std::get<TransformerTraining>(variants.training(choice)).context_method;
  };
  CHECK(method(windows) == ContextMethod::all_gather);
  CHECK(method(small()) == ContextMethod::ring);
  choice.context = 4;
  CHECK(method(windows) == ContextMethod::all_gather);
  model.heads = 4;
  CHECK(method(windows) == ContextMethod::ulysses);
  const TrainingVariants written(windows, {"context_method"});
  CHECK(std::get<SpecProblem>(written.training(choice)).key == "context_method");
}

TEST_CASE("keys that only pipelines have do not decide whether there is one") {
  Experiment experiment = small();
  auto& training = std::get<TransformerWorkload>(experiment.workload.what).training;
  training.overlap_p2p = false;
  training.scatter_gather = true;
  training.ends_take_a_layer = true;
  training.micro_batch_group = 4;
  training.defer_head_gradients = true;
  training.deferral_limit = 1;
  const TrainingVariants variants(experiment, {"overlap_p2p", "deferral_limit", "prefetch"});
  ParallelChoice choice;
  choice.sharding = Sharding::zero3;
  const auto meant = std::get<TransformerTraining>(variants.training(choice));
  CHECK_FALSE(meant.overlap_p2p);
  CHECK(meant.micro_batch_group == 0);
  choice.pipeline = 2;
  CHECK(std::get<SpecProblem>(variants.training(choice)).key == "micro_batch_group");
}

// t in {1, 2}, p in {1, 2}: 4, 2, 2 and 1 data-parallel ranks. Four samples, two at once: with four
// replicas that is no whole number of micro-batches.
TEST_CASE("a search without a file") {
  SearchSpec spec;
  spec.micro_batch = {2};
  spec.schedule = {PipelineSchedule::one_forward_one_backward};
  spec.sharding = {Sharding::none};
  spec.recompute = {Recompute::none};
  spec.overlap_tensor = false;
  const FittingChoices choices = fitting_choices(TrainingVariants(small(), {}), spec, 1);
  CHECK(choices.enumerated == 4);
  CHECK(choices.refused.at("global_batch").count == 1);
  CHECK(choices.fitting.size() == 3);
}

// Two ranks with half of four experts each: with and without the exchanges beside another
// micro-batch, which 1f1b without a pipeline allows. Every rank with all experts exchanges nothing.
TEST_CASE("exchanges of experts are tried beside another micro-batch") {
  Experiment experiment = small();
  auto& model = std::get<TransformerWorkload>(experiment.workload.what).model;
  model.experts.count = 4;
  model.experts.shared = 1;
  SearchSpec spec;
  spec.tensor = spec.pipeline = {1};
  spec.micro_batch = {1};
  spec.expert = {1, 2};
  spec.sharding = {Sharding::none};
  spec.recompute = {Recompute::none};
  const TrainingVariants variants(experiment, {});
  const FittingChoices choices = fitting_choices(variants, spec, 1);
  REQUIRE(choices.fitting.size() == 3);
  const FittingChoice& beside = choices.fitting.back();
  CHECK(beside.training.experts.overlap_batches);
  CHECK_FALSE(beside.training.experts.overlap_shared);
  CHECK(text_of(beside.choice, 4) == "tp1 pp1 dp4 ep2 mb1 overlap-experts");
  spec.overlap_experts = false;
  CHECK(fitting_choices(variants, spec, 1).fitting.size() == 2);
}

// Where two ranks split matrices, and no file says that whole sequences stay on each.
TEST_CASE("tensor-parallel exchanges are tried beside products") {
  SearchSpec spec;
  spec.tensor = {1, 2};
  spec.pipeline = {1};
  spec.micro_batch = {1};
  spec.sharding = {Sharding::none};
  spec.recompute = {Recompute::none};
  const auto fitting = [&](const std::vector<std::string>& given) {
    return fitting_choices(TrainingVariants(small(), given), spec, 1).fitting;
  };
  const auto all = fitting({});
  REQUIRE(all.size() == 3);
  CHECK(all.back().training.overlap_tensor);
  CHECK(all.back().training.sequence_parallel);
  CHECK(text_of(all.back().choice, 2) == "tp2 pp1 dp2 mb1 overlap-tensor");
  CHECK(fitting({"overlap_tensor"}).size() == 2);
  CHECK(fitting({"sequence_parallel"}).size() == 2);
  spec.overlap_tensor = false;
  CHECK(fitting({}).size() == 2);
}
