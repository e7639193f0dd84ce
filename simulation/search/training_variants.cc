#include "simulation/search/training_variants.h"

#include <algorithm>
#include <utility>

#include "workload/problems.h"

namespace orrery {

namespace {

void leave_out_keys_of_pipelines(TransformerTraining& training) {
  const TransformerTraining plain;
  training.overlap_p2p = plain.overlap_p2p;
  training.scatter_gather = plain.scatter_gather;
  training.ends_take_a_layer = plain.ends_take_a_layer;
  training.micro_batch_group = plain.micro_batch_group;
  training.defer_head_gradients = plain.defer_head_gradients;
  training.deferral_limit = plain.deferral_limit;
}

// What sends least. Of n tokens of a rank `ulysses` sends (2 h + 2 k) n / c to each of the c - 1
// others, of h heads and k key heads, and `all_gather` 2 k n.
ContextMethod method_without_ring(std::int32_t context, const TransformerSpec& model) {
  return model.heads + model.key_heads() < context * model.key_heads() ? ContextMethod::ulysses
                                                                       : ContextMethod::all_gather;
}

bool is_of_pipelines(std::string_view key) {
  return std::ranges::find(keys_of_pipelines, key) != keys_of_pipelines.end();
}

}  // namespace

TrainingVariants::TrainingVariants(Experiment written, std::vector<std::string> given)
    : written_(std::move(written)),
      given_(std::move(given)),
      platform_(facts_of(written_.topology)) {}

bool TrainingVariants::is_given(std::string_view key) const {
  return std::ranges::find(given_, key) != given_.end();
}

TransformerTraining TrainingVariants::meant_by(const ParallelChoice& choice) const {
  TransformerTraining training = transformer().training;
  training.tensor = choice.tensor;
  training.pipeline = choice.pipeline;
  training.context = choice.context;
  training.experts.parallel = model().experts.count > 0 ? choice.expert : 1;
  training.micro_batch = choice.micro_batch;
  training.schedule = choice.schedule;
  training.chunks = choice.schedule == PipelineSchedule::interleaved ? choice.chunks : 1;
  training.sharding = choice.sharding;
  training.recompute = choice.recompute;
  if (choice.overlap_experts) {
    training.experts.overlap_batches = true;
    training.experts.overlap_shared &= is_given("overlap_shared_experts");
  }
  if (choice.tensor == 1 || !is_given("sequence_parallel"))
    training.sequence_parallel = choice.tensor > 1;
  if (choice.pipeline == 1) leave_out_keys_of_pipelines(training);
  training.data = data_ranks(training, platform_);
  return training;
}

std::variant<TransformerTraining, SpecProblem> TrainingVariants::training(
    const ParallelChoice& choice) const {
  TransformerTraining training = meant_by(choice);
  SpecProblems problems = problems_of(training, model(), platform_);
  for (const ContextMethod method :
       {method_without_ring(training.context, model()), ContextMethod::all_gather}) {
    if (problems.empty() || problems.front().key != "context_method" || is_given("context_method"))
      break;
    training.context_method = method;
    problems = problems_of(training, model(), platform_);
  }
  if (!problems.empty()) return std::move(problems.front());
  if (!given_.empty())
    for (SpecProblem& idle : idle_settings(training, model()))
      if (is_given(idle.key) && (choice.pipeline > 1 || !is_of_pipelines(idle.key)))
        return std::move(idle);
  return training;
}

Experiment TrainingVariants::experiment(const TransformerTraining& training) const {
  Experiment experiment = written_;
  std::get<TransformerWorkload>(experiment.workload.what).training = training;
  return experiment;
}

}  // namespace orrery
