#include "workload/model/transformer.h"

#include <algorithm>
#include <utility>

#include "workload/model/part_writer.h"

namespace orrery {

namespace {

void write_mlp(PartWriter& to) {
  const std::int64_t h = to.model.hidden, inner = to.model.mlp_width() / to.shard.tensor;
  const std::int64_t matrices = to.model.mlp_inputs();
  const PartWriter::Columns columns(
      std::vector<std::int64_t>(static_cast<std::size_t>(matrices), inner),
      to.shard.separate_products);
  to.norm_forward();
  to.column_forward(h, columns);
  if (to.is_eager()) to.memory(to.steps.forward, Pass::forward, 2 * matrices * to.tokens * inner);
  to.memory(to.steps.forward, Pass::forward, (matrices + 1) * to.tokens * inner);  // activation
  if (to.adapters == 0) to.needed_forward = to.steps.forward.size();
  to.row_forward(inner, h);
  to.residual_forward();

  to.residual_backward();
  to.row_backward(inner, h);
  to.memory(to.steps.backward, Pass::input_gradient, (2 * matrices + 1) * to.tokens * inner);
  to.column_backward(h, columns);
  to.norm_backward();
}

// Each rank looks up the tokens of its part of the vocabulary; the others' rows are zero.
void write_embedding(PartWriter& to) {
  const std::int64_t h = to.model.hidden;
  to.memory(to.steps.forward, Pass::forward, 2 * to.tokens * h);
  to.sum_outputs(to.steps.forward, h);
  if (to.shard.lora.freezes()) return;
  if (to.scattered)
    to.exchange_and_await(to.weights(), PartGroup::tensor, Collective::all_gather,
                          to.activations(h));
  to.memory(to.weights(), Pass::weight_gradient, 3 * to.tokens * h);
}

// How often the loss reads or writes a logit in single precision, beside once as the product's
// output and once as its gradient. Megatron-LM's vocab_parallel_cross_entropy has a kernel for each
// step: cast (writes), maximum (reads), subtract (both), exponential (both), sum (reads), divide
// (both); backwards times the loss's gradient (both) and the cast. Its fused_vocab_parallel_cross_
// entropy joins cast with maximum, and subtract with exponential and sum; and all backwards.
struct LossPasses {
  std::int64_t forward, backward;
};
constexpr LossPasses loss_in_steps{9, 3}, fused_loss{5, 1};

// Final norm, logits cut by vocabulary, and the cross entropy over all parts of it: maximum, target
// and sum of exponentials of each token are summed over the group in single precision; fused, the
// last two together. Loss and number of tokens are summed over the ranks that share a sequence.
void write_head(PartWriter& to) {
  const std::int64_t h = to.model.hidden, own = to.model.vocabulary / to.shard.tensor;
  constexpr Bytes single{4};
  const LossPasses passes = to.shard.fused_cross_entropy ? fused_loss : loss_in_steps;
  const std::int64_t logits = to.tokens * own, width = single.value / to.model.element.value;
  to.norm_forward();
  to.column_forward(h, own);
  to.memory(to.steps.forward, Pass::forward, (1 + passes.forward * width) * logits);
  const std::vector<int> sums =
      to.shard.fused_cross_entropy ? std::vector{1, 2} : std::vector{1, 1, 1};
  for (std::size_t i = 0; i < sums.size() && to.shard.tensor > 1; ++i)
    to.exchange_and_await(to.steps.forward, PartGroup::tensor, Collective::all_reduce,
                          single * (to.tokens * sums[i]));
  if (to.shard.context > 1)
    to.exchange_and_await(to.steps.forward, PartGroup::context, Collective::all_reduce, single * 2);
  to.memory(to.steps.backward, Pass::input_gradient, (1 + passes.backward * width) * logits);
  to.column_backward(h, own);
  to.norm_backward();
}

std::int32_t* handle_of(PartStep& step) {
  if (auto* exchange = std::get_if<PartStep::Exchange>(&step.what)) return &exchange->handle;
  if (auto* shift = std::get_if<PartStep::Shift>(&step.what)) return &shift->handle;
  if (auto* await = std::get_if<PartStep::Await>(&step.what)) return &await->handle;
  return nullptr;
}

// A layer's forward pass again, with its communication: the first `count` steps of it.
void put_forward_before_backward(PartSteps& steps, std::size_t count) {
  std::vector<PartStep> again(steps.forward.begin(),
                              steps.forward.begin() + static_cast<std::ptrdiff_t>(count));
  std::int32_t next = 0;
  for (PartStep& step : steps.backward)
    if (const std::int32_t* handle = handle_of(step)) next = std::max(next, *handle + 1);
  for (PartStep& step : again) {
    if (std::int32_t* handle = handle_of(step)) *handle += next;
    if (step.pass == Pass::forward) step.pass = Pass::input_gradient;
  }
  steps.backward.insert(steps.backward.begin(), again.begin(), again.end());
}

}  // namespace

std::string_view name_of(TransformerPart part) {
  switch (part) {
    case TransformerPart::embedding:
      return "embedding";
    case TransformerPart::attention:
      return "attention";
    case TransformerPart::window_attention:
      return "window attention";
    case TransformerPart::mlp:
      return "mlp";
    case TransformerPart::experts:
      return "experts";
    case TransformerPart::head:
      return "head";
  }
  return "?";
}

namespace {

std::int64_t adapter_rank(TransformerPart part, const LowRankAdapters& lora) {
  if (is_attention(part)) return lora.rank_in_attention();
  return part == TransformerPart::mlp ? lora.rank_in_mlp() : 0;
}

}  // namespace

// Products are overlapped with their own exchanges where Transformer Engine does it: in attention
// and in MLPs. Vocabulary, latent vectors and shared experts have layers of another kind.
PartSteps transformer_part(TransformerPart part, const TransformerSpec& model,
                           const TransformerShard& of_rank) {
  TransformerShard shard = of_rank;
  shard.overlap_tensor = shard.overlap_tensor &&
                         ((is_attention(part) && !model.latent) || part == TransformerPart::mlp);
  using Place = PartWriter::Place;
  const Place place = !model.parallel_blocks || !is_of_layer(part) ? Place::alone
                      : is_attention(part)                         ? Place::first_of_two
                                                                   : Place::second_of_two;
  PartWriter writer(model, shard, is_of_layer(part), place, adapter_rank(part, shard.lora));
  switch (part) {
    case TransformerPart::embedding:
      write_embedding(writer);
      break;
    case TransformerPart::attention:
      write_attention(writer, model.sequence);
      break;
    case TransformerPart::window_attention:
      write_attention(writer, model.window);
      break;
    case TransformerPart::mlp:
      write_mlp(writer);
      break;
    case TransformerPart::experts:
      write_experts(writer);
      break;
    case TransformerPart::head:
      write_head(writer);
      break;
  }
  if (is_of_layer(part) && shard.recompute == Recompute::full)
    put_forward_before_backward(writer.steps,
                                shard.recompute_stops_early && writer.needed_forward > 0
                                    ? writer.needed_forward
                                    : writer.steps.forward.size());
  return std::move(writer.steps);
}

namespace {

// Latent vectors and their norms.
std::int64_t latent_parameters(const TransformerSpec& model) {
  if (!model.latent) return 0;
  const LatentAttention& latent = *model.latent;
  return (model.hidden + 1) * (latent.query_rank + latent.key_value_rank) +
         model.hidden * latent.rotary;
}

// The sum over all ranks. If there are fewer key heads than ranks, each rank has its own copy.
std::int64_t attention_matrices(const TransformerSpec& model, std::int32_t tensor) {
  const std::int64_t output = model.output_width() * model.hidden;
  if (!model.latent) {
    const std::int64_t keys =
        std::max(model.key_value_width(), model.head_width() * std::int64_t{tensor});
    return model.hidden * (model.query_width() + 2 * keys) + output;
  }
  const LatentAttention& latent = *model.latent;
  const std::int64_t into_queries = latent.query_rank > 0 ? latent.query_rank : model.hidden;
  return into_queries * model.query_width() +
         latent.key_value_rank * model.heads * (latent.plain + latent.value) + output;
}

}  // namespace

std::int64_t replicated_parameters(TransformerPart part, const TransformerSpec& model) {
  switch (part) {
    case TransformerPart::embedding:
      return 0;
    case TransformerPart::attention:
    case TransformerPart::window_attention:
      return model.hidden + latent_parameters(model);
    case TransformerPart::experts:
      return model.hidden + model.hidden * model.experts.count;
    case TransformerPart::mlp:
      return model.parallel_blocks ? 0 : model.hidden;
    case TransformerPart::head:
      return model.hidden;
  }
  return 0;
}

std::int64_t parameters(TransformerPart part, const TransformerSpec& model, std::int32_t tensor) {
  const std::int64_t h = model.hidden, mlp_matrices = model.mlp_inputs() + 1;
  std::int64_t matrices = 0;
  switch (part) {
    case TransformerPart::embedding:
    case TransformerPart::head:
      matrices = model.vocabulary * h;
      break;
    case TransformerPart::attention:
    case TransformerPart::window_attention:
      matrices = attention_matrices(model, tensor);
      break;
    case TransformerPart::mlp:
      matrices = mlp_matrices * h * model.mlp_width();
      break;
    case TransformerPart::experts:
      matrices = mlp_matrices * h * model.shared_width();
      break;
  }
  return matrices / tensor + replicated_parameters(part, model);
}

namespace {

// Of a part's two adapted matrices on one rank: inputs and outputs of the one that is cut by
// columns, and of the one that is cut by rows.
struct AdaptedSizes {
  std::int64_t column_inputs = 0, column_outputs = 0, row_inputs = 0, row_outputs = 0;
};

AdaptedSizes adapted_sizes(TransformerPart part, const TransformerSpec& model,
                           std::int32_t tensor) {
  if (part == TransformerPart::mlp) {
    const std::int64_t inner = model.mlp_width() / tensor;
    return {model.hidden, model.mlp_inputs() * inner, inner, model.hidden};
  }
  const std::int64_t keys =
      std::max(model.key_value_width(), model.head_width() * std::int64_t{tensor});
  return {model.hidden, (model.query_width() + 2 * keys) / tensor, model.output_width() / tensor,
          model.hidden};
}

}  // namespace

std::int64_t replicated_adapters(TransformerPart part, const TransformerSpec& model,
                                 const TransformerTraining& training) {
  const AdaptedSizes sizes = adapted_sizes(part, model, training.tensor);
  return adapter_rank(part, training.lora) * (sizes.column_inputs + sizes.row_outputs);
}

std::int64_t adapter_parameters(TransformerPart part, const TransformerSpec& model,
                                const TransformerTraining& training) {
  const AdaptedSizes sizes = adapted_sizes(part, model, training.tensor);
  return adapter_rank(part, training.lora) * (sizes.column_outputs + sizes.row_inputs) +
         replicated_adapters(part, model, training);
}

std::int64_t expert_parameters(const TransformerSpec& model, const ExpertTraining& training) {
  const std::int64_t local = model.experts.count / training.parallel;
  return local * (model.mlp_inputs() + 1) * model.hidden * (model.expert_width() / training.tensor);
}

}  // namespace orrery
