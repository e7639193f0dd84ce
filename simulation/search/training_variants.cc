#include "simulation/search/training_variants.h"

#include <algorithm>
#include <utility>

#include "simulation/search/search_space.h"
#include "workload/problems.h"

namespace orrery {

namespace {

using Training = TransformerTraining;

bool has_stages(const Training& training) { return training.pipeline > 1; }
bool has_replicated_stages(const Training& training) {
  return training.pipeline > 1 && training.data > 1;
}
bool splits_matrices(const Training& training) { return training.tensor > 1; }
bool splits_sequences(const Training& training) { return training.context > 1; }
bool shards(const Training& training) { return training.sharding != Sharding::none; }
bool shards_parameters(const Training& training) { return training.sharding == Sharding::zero3; }
bool gathers_after_step(const Training& training) {
  return shards(training) && !shards_parameters(training);
}
bool gathers_ahead(const Training& training) {
  return shards_parameters(training) ||
         (gathers_after_step(training) && training.overlap_parameters);
}
bool computes_layers_again(const Training& training) {
  return training.recompute == Recompute::full;
}

template <auto Setting>
void leave_out(Training& training) {
  training.*Setting = Training{}.*Setting;
}

struct Qualifier {
  std::string_view key;
  bool (*means_something)(const Training&);
  void (*leave_out)(Training&);
};

constexpr Qualifier qualifiers[] = {
    {"overlap_p2p", has_stages, leave_out<&Training::overlap_p2p>},
    {"scatter_gather", has_stages, leave_out<&Training::scatter_gather>},
    {"embedding_and_loss_take_a_layer", has_stages, leave_out<&Training::ends_take_a_layer>},
    {"micro_batch_group", has_stages, leave_out<&Training::micro_batch_group>},
    {"defer_head_gradients", has_stages, leave_out<&Training::defer_head_gradients>},
    {"deferral_limit", has_stages, leave_out<&Training::deferral_limit>},
    {"order", has_replicated_stages, leave_out<&Training::order>},
    {"overlap_tensor", splits_matrices, leave_out<&Training::overlap_tensor>},
    {"overlap_gradient_sums", splits_matrices, leave_out<&Training::overlap_gradient_sums>},
    {"context_method", splits_sequences, leave_out<&Training::context_method>},
    {"context_inner", splits_sequences, leave_out<&Training::context_inner>},
    {"shard_group", shards, leave_out<&Training::shard_group>},
    {"fp8_parameters", shards, leave_out<&Training::fp8_parameters>},
    {"prefetch", gathers_ahead, leave_out<&Training::prefetch>},
    {"overlap_parameters", gathers_after_step, leave_out<&Training::overlap_parameters>},
    {"reshard_after_forward", shards_parameters, leave_out<&Training::reshard_after_forward>},
    {"recompute_layers", computes_layers_again, leave_out<&Training::recompute_layers>},
    {"recompute_stops_early", computes_layers_again, leave_out<&Training::recompute_stops_early>},
};

// What sends least. Of n tokens of a rank `ulysses` sends (2 h + 2 k) n / c to each of the c - 1
// others, of h heads and k key heads, and `all_gather` 2 k n.
ContextMethod method_without_ring(std::int32_t context, const TransformerSpec& model) {
  return model.heads + model.key_heads() < context * model.key_heads() ? ContextMethod::ulysses
                                                                       : ContextMethod::all_gather;
}

}  // namespace

bool means_nothing(std::string_view key, const TransformerTraining& training) {
  return std::ranges::any_of(qualifiers, [&](const Qualifier& qualifier) {
    return qualifier.key == key && !qualifier.means_something(training);
  });
}

TrainingVariants::TrainingVariants(Experiment written, std::vector<std::string> given)
    : written_(std::move(written)),
      given_(std::move(given)),
      platform_(facts_of(written_.topology)) {}

bool TrainingVariants::is_given(std::string_view key) const {
  return std::ranges::find(given_, key) != given_.end();
}

std::vector<ParallelChoice> TrainingVariants::choices(SearchSpec spec) const {
  const TransformerTraining& training = transformer().training;
  const bool whole_sequences = is_given("sequence_parallel") && !training.sequence_parallel;
  spec.overlap_experts &= !is_given("overlap_experts");
  spec.overlap_tensor &=
      !is_given("overlap_tensor") && !whole_sequences && !training.lora.freezes();
  return parallel_choices(spec, model(), {npus(), node_ranks()});
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
  if (choice.recompute_layers > 0) training.recompute_layers = choice.recompute_layers;
  training.overlap_tensor |= choice.overlap_tensor;
  if (choice.overlap_experts) {
    training.experts.overlap_batches = true;
    training.experts.overlap_shared &= is_given("overlap_shared_experts");
  }
  if (choice.tensor == 1 || !is_given("sequence_parallel"))
    training.sequence_parallel = choice.tensor > 1;
  training.data = data_ranks(training, platform_);
  for (const Qualifier& qualifier : qualifiers)
    if (!qualifier.means_something(training)) qualifier.leave_out(training);
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
      if (is_given(idle.key) && !means_nothing(idle.key, training)) return std::move(idle);
  return training;
}

Experiment TrainingVariants::experiment(const TransformerTraining& training) const {
  Experiment experiment = written_;
  std::get<TransformerWorkload>(experiment.workload.what).training = training;
  return experiment;
}

}  // namespace orrery
