#include "workload/memory/stage_memory.h"

#include <algorithm>
#include <vector>

#include "workload/model/expert_routing.h"
#include "workload/parallelism/stage_layout.h"

namespace orrery {

namespace {

constexpr Bytes single{4};

Bytes share_of(Bytes all, std::int64_t ranks) { return Bytes{(all.value + ranks - 1) / ranks}; }

// Elements that a micro-batch leaves for its backward pass, by what divides them.
class ActivationSizes {
 public:
  explicit ActivationSizes(const TransformerWorkload& workload)
      : model_(workload.model),
        training_(workload.training),
        tokens_(training_.micro_batch * model_.sequence / training_.context),
        own_tokens_(training_.sequence_parallel ? tokens_ / training_.tensor : tokens_) {}

  // What a product takes that is as wide as the model, as the product takes it.
  Bytes input() const { return model_.operand() * (own_tokens_ * model_.hidden); }
  // Activations as wide as the model, outside the tensor-parallel regions.
  Bytes outside(std::int64_t count) const {
    return model_.element * (count * own_tokens_ * model_.hidden);
  }

  Bytes attention() const;
  Bytes mlp() const;
  Bytes experts() const;
  Bytes embedding() const { return dropout_mask(); }
  Bytes head() const;
  Bytes loss() const;
  // What a weight gradient of the head that is put off needs: its input, and the gradient of the
  // logits.
  Bytes deferred_head() const { return outside(1) + inside(model_.vocabulary); }

 private:
  bool freezes() const { return training_.lora.freezes(); }
  // The input of a product, which its weight gradient takes; of a frozen one, that of its adapter.
  Bytes trained_input(Bytes size, std::int64_t adapters) const {
    return freezes() && adapters == 0 ? Bytes{} : size;
  }
  // What A of an adapter gives, for each of so many products.
  Bytes adapted(std::int64_t products, std::int64_t rank) const {
    return model_.element * (products * tokens_ * rank);
  }
  bool unfused() const { return model_.has_all_scores(); }
  Bytes inside(std::int64_t width) const {
    return model_.element * (tokens_ * width / training_.tensor);
  }
  // Before and after the activation function, of so many tokens and columns.
  Bytes of_mlp(std::int64_t tokens, std::int64_t width) const {
    return (model_.element * model_.mlp_inputs() + model_.operand()) * (tokens * width);
  }
  // Only software with unfused attention is modelled with dropout. A byte each.
  Bytes dropout_mask() const { return Bytes{unfused() ? own_tokens_ * model_.hidden : 0}; }
  Bytes scores() const;
  Bytes projections() const;

  const TransformerSpec& model_;
  const TransformerTraining& training_;
  std::int64_t tokens_, own_tokens_;
};

// Outputs of softmax and of its dropout, and the mask of one byte.
Bytes ActivationSizes::scores() const {
  if (!unfused() || training_.recompute == Recompute::selective) return {};
  const std::int64_t elements = tokens_ * model_.sequence * (model_.heads / training_.tensor);
  return (model_.element * 2 + Bytes{1}) * elements;
}

// Queries, keys and values of the rank's heads: those of keys are fewer, but one for each rank at
// least. Of latent attention also the vectors that they are made from, before and after their norm,
// and the part of the key that knows its position, which every rank has of its own tokens.
Bytes ActivationSizes::projections() const {
  if (!model_.latent) {
    const std::int64_t keys =
        std::max(model_.key_value_width(), model_.head_width() * std::int64_t{training_.tensor});
    return inside(model_.query_width() + 2 * keys);
  }
  const LatentAttention& latent = *model_.latent;
  const std::int64_t vectors = 2 * (latent.query_rank + latent.key_value_rank) + latent.rotary;
  return model_.element * (own_tokens_ * vectors) +
         inside(2 * model_.query_width() + model_.output_width());
}

// Inputs of norm and QKV; queries, keys, values; input of the projection, which the kernel of
// attention needs as well. Of parallel blocks the MLP has the inputs of norm and FC1 from here.
Bytes ActivationSizes::attention() const {
  const std::int64_t own = training_.lora.rank_in_attention();
  const std::int64_t of_input = model_.parallel_blocks ? training_.lora.rank : own;
  return outside(1) + trained_input(input(), of_input) + projections() +
         inside(model_.output_width()) + adapted(2, own) + scores() + dropout_mask();
}

// Inputs of norm and FC1; of the activation function; of FC2.
Bytes ActivationSizes::mlp() const {
  const std::int64_t own = training_.lora.rank_in_mlp();
  const Bytes before = model_.parallel_blocks ? Bytes{} : outside(1) + trained_input(input(), own);
  const std::int64_t inner = tokens_ * (model_.mlp_width() / training_.tensor);
  return before + model_.element * (model_.mlp_inputs() * inner) +
         trained_input(model_.operand() * inner, own) + adapted(2, own) + dropout_mask();
}

// Inputs of norm and of router and shared experts; probabilities in single precision. Of the copies
// that arrive: inputs of FC1, of the activation function, of FC2; of shared experts the last two.
// As Megatron-LM since it weighs copies before FC2: nothing is kept of what experts return.
Bytes ActivationSizes::experts() const {
  const ExpertTraining& training = training_.experts;
  const std::int64_t inner = model_.expert_width() / training.tensor;
  const std::int64_t arriving =
      copies_of_rank(model_.experts, training, own_tokens_) * training.tensor;
  return outside(2) + single * (own_tokens_ * model_.experts.count) +
         model_.operand() * (arriving * model_.hidden) + of_mlp(arriving, inner) +
         of_mlp(tokens_, model_.shared_width() / training_.tensor) + dropout_mask();
}

// Inputs of norm and product; the logits, and in single precision for the loss.
Bytes ActivationSizes::head() const {
  const std::int64_t own = model_.vocabulary / training_.tensor;
  return outside(freezes() ? 1 : 2) + (model_.element + single) * (tokens_ * own);
}

// What the loss has at its fullest beside head(), for each logit. Megatron-LM subtracts and takes
// the exponential in place and frees the logits: 2 + 4 B before, 4 + 2 B with the gradient. Its
// fused loss (fused_cross_entropy.py) makes the exponentials beside the logits in single precision:
// 4 B more. PyTorch's, of software that shards parameters, keeps logarithms of probabilities, and
// has their gradient and that of the logits: 4 + 4 + 4 B; of these head() has 6.
Bytes ActivationSizes::loss() const {
  const std::int64_t logits = tokens_ * (model_.vocabulary / training_.tensor);
  if (training_.sharding == Sharding::zero3)
    return (single * 3 - (model_.element + single)) * logits;
  return training_.fused_cross_entropy ? single * logits : Bytes{};
}

// The size of the `count` largest exchange units together: of their gradients, or parameters.
Bytes largest_units(const StageLayout& layout, Bytes element, std::int64_t count,
                    bool only_trained = false) {
  std::vector<std::int64_t> sizes;
  for (const ExchangeUnit& unit : layout.units)
    sizes.push_back(only_trained ? unit.trained : unit.elements);
  std::sort(sizes.rbegin(), sizes.rend());
  Bytes sum;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(count, std::ssize(sizes)); ++i)
    sum += element * sizes[static_cast<std::size_t>(i)];
  return sum;
}

// Gathered parameters of zero3 that are on a rank at a time, at most. The head takes the place of a
// layer; a tied embedding stays beside all layers, from its forward to its backward pass.
Bytes gathered_at_once(const StageLayout& layout, Bytes element,
                       const TransformerTraining& training) {
  // In a pipeline, what a backward pass has gathered stays until the last micro-batch.
  if (!training.frees_after_forward() || training.pipeline > 1) return element * layout.parameters;
  const ExchangeUnit& first = layout.units.front();
  if (!first.stays || layout.units.size() == 1)
    return largest_units(layout, element, training.prefetch + 1);
  StageLayout others = layout;
  others.units.erase(others.units.begin());
  return element * first.elements + largest_units(others, element, training.prefetch + 1);
}

// Parameters of one kind, whose training state so many ranks divide.
void add_fixed(StageMemory& memory, const TransformerWorkload& workload, const StageLayout& layout,
               std::int64_t ranks) {
  const TransformerTraining& training = workload.training;
  const Bytes weight = workload.model.element, gradient = workload.model.gradient_element;
  const bool is_zero3 = training.sharding == Sharding::zero3;
  const Bytes states = single * (weight == single ? 2 : 3);
  Bytes parameters = weight * layout.parameters, gradients = gradient * layout.trained;
  memory.optimizer += share_of(states * layout.trained, ranks);
  if (is_zero3) {
    memory.buffers += gathered_at_once(layout, weight, training);
    parameters = share_of(parameters, ranks);
  }
  const bool shares_gradients = is_zero3 || training.sharding == Sharding::zero2;
  if (shares_gradients && training.accumulates() == Accumulation::reduced) {
    memory.buffers += largest_units(layout, gradient, 1, true);
    gradients = share_of(gradients, ranks);
  }
  memory.parameters += parameters;
  memory.gradients += gradients;
}

// What a micro-batch leaves in each chunk.
std::vector<Bytes> activations_of_chunks(const TransformerWorkload& workload,
                                         const StageLayout& layout) {
  std::vector<Bytes> sizes;
  for (const std::vector<StagePart>& parts : layout.chunks) {
    Bytes& sum = sizes.emplace_back();
    for (const StagePart& part : parts) sum += activations_of(part.part, part.recomputed, workload);
  }
  return sizes;
}

// The order repeats itself after a while, and no more micro-batches are in flight than before. All
// of them are in gpipe.
PipelineShape until_it_repeats(const TransformerTraining& training) {
  PipelineShape shape = pipeline_shape(training);
  if (training.schedule == PipelineSchedule::gpipe) return shape;
  const std::int32_t group = std::max(shape.group, shape.stages);
  const std::int32_t enough = 4 * group + shape.micro_batches % group;
  shape.micro_batches = std::min(shape.micro_batches, enough + enough % 2);
  return shape;
}

// Plays the stage's steps. Of two that are done together, both are there at once.
void add_activations(StageMemory& memory, const TransformerWorkload& workload,
                     const std::vector<Bytes>& chunks, std::int32_t stage) {
  using Kind = PipelineStep::Kind;
  const TransformerTraining& training = workload.training;
  const auto steps = pipeline_steps(training.schedule, until_it_repeats(training), stage);
  Bytes now;
  std::int32_t in_flight = 0;
  const auto begin = [&](const PipelineStep& step) {
    if (step.kind != Kind::forward) return;
    now += chunks[static_cast<std::size_t>(step.chunk)];
    ++in_flight;
    if (now <= memory.activations && memory.in_flight > 0) return;
    memory.activations = now;
    memory.in_flight = in_flight;
    memory.peak = step;
  };
  const auto end = [&](const PipelineStep& step) {
    if (step.kind != Kind::backward && step.kind != Kind::weight_gradient) return;
    now -= chunks[static_cast<std::size_t>(step.chunk)];
    --in_flight;
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    begin(steps[i]);
    if (steps[i].with_next) {
      begin(steps[i + 1]);
      end(steps[i]);
      ++i;
    }
    end(steps[i]);
  }
}

}  // namespace

std::vector<Bytes> activations_of_chunks(const TransformerWorkload& workload, std::int32_t stage) {
  return activations_of_chunks(workload, stage_layout(workload, stage));
}

Bytes activations_of(TransformerPart part, bool recomputed, const TransformerWorkload& workload) {
  const ActivationSizes sizes(workload);
  switch (part) {
    case TransformerPart::embedding:
      return sizes.embedding();
    case TransformerPart::attention:
    case TransformerPart::window_attention:
      return recomputed ? sizes.outside(1) : sizes.attention();
    case TransformerPart::mlp:
      return recomputed ? Bytes{} : sizes.mlp();
    case TransformerPart::experts:
      return recomputed ? Bytes{} : sizes.experts();
    case TransformerPart::head:
      return sizes.head();
  }
  return {};
}

namespace {

bool has_head(const StageLayout& layout) {
  return std::ranges::any_of(layout.chunks, [](const std::vector<StagePart>& parts) {
    return !parts.empty() && parts.back().part == TransformerPart::head;
  });
}

// Deferred gradients of the head, on the stage that has it. All are counted beside the most
// micro-batches in flight, although the last ones are deferred when fewer are.
Bytes deferred_gradients(const TransformerWorkload& workload, const StageLayout& layout) {
  const TransformerTraining& training = workload.training;
  if (!training.defer_head_gradients || !has_head(layout)) return {};
  const std::int32_t limit = training.deferral_limit, m = training.micro_batches();
  return ActivationSizes(workload).deferred_head() * (limit > 0 ? std::min(limit, m) : m);
}

Bytes part_of(Bytes size, Share share) {
  return Bytes{
      static_cast<std::int64_t>(static_cast<double>(size.value) * static_cast<double>(share.part) /
                                static_cast<double>(share.whole))};
}

// Of the two moments that can be the fullest, the values of the other one are left out.
void keep_fullest(StageMemory& memory, const TransformerWorkload& workload,
                  const StageLayout& layout) {
  if (!has_head(layout)) return;
  const ActivationSizes sizes(workload);
  const Bytes head = sizes.head() + part_of(sizes.head(), workload.training.activation_overhead);
  if (memory.again <= head + sizes.loss()) {
    memory.loss = sizes.loss();
    memory.again = {};
  } else {
    memory.activations -= head;
  }
}

}  // namespace

StageMemory stage_memory(const TransformerWorkload& workload, std::int32_t stage) {
  const StageLayout layout = stage_layout(workload, stage);
  StageMemory memory;
  const TransformerTraining& training = workload.training;
  add_fixed(memory, workload, layout, training.shard_ranks());
  const StageLayout experts = stage_layout(workload, stage, Kept::by_experts);
  if (experts.parameters > 0) {
    const bool shared = training.sharding != Sharding::none;
    add_fixed(memory, workload, experts, shared ? training.expert_replicas() : 1);
  }
  add_activations(memory, workload, activations_of_chunks(workload, layout), stage);
  const Bytes attention = activations_of(TransformerPart::attention, false, workload);
  for (const auto& parts : layout.chunks)
    for (const StagePart& part : parts)
      if (part.recomputed && is_of_layer(part.part) && !is_attention(part.part))
        memory.again =
            std::max(memory.again, attention + activations_of(part.part, false, workload));
  memory.activations += deferred_gradients(workload, layout);
  memory.activations += part_of(memory.activations, training.activation_overhead);
  memory.again += part_of(memory.again, training.activation_overhead);
  keep_fullest(memory, workload, layout);
  return memory;
}

}  // namespace orrery
