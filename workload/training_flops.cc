#include "workload/training_flops.h"

#include "workload/dropped_copies.h"
#include "workload/model/transformer.h"
#include "workload/parallelism/stage_layout.h"

namespace orrery {

namespace {

// Operations of the forward pass of a sample.
struct Forward {
  double products = 0;   // with parameters
  double attention = 0;  // of all pairs of tokens
};

Forward forward_of(TransformerPart part, TransformerSpec model) {
  model.attention = AttentionKernel::flash;
  model.causal_kernel = false;
  Forward forward;
  for (const PartStep& step : transformer_part(part, model, TransformerShard{}).forward) {
    const auto* work = std::get_if<Compute>(&step.what);
    if (work == nullptr) continue;
    const bool scores = work->kernel == Kernel::attention;
    (scores ? forward.attention : forward.products) += static_cast<double>(work->flops.value);
  }
  return forward;
}

// Of an MLP, which has matrices of one size.
double last_product(TransformerPart part, const TransformerSpec& model) {
  if (part != TransformerPart::mlp) return 0;
  return forward_of(part, model).products / static_cast<double>(model.mlp_inputs() + 1);
}

// Of the experts that a token goes to.
double chosen_parameters(const TransformerSpec& model) {
  return static_cast<double>(model.experts.top_k * (model.mlp_inputs() + 1) * model.hidden *
                             model.expert_width());
}

// Without experts that a token does not go to, or is dropped at.
double parameters_met(TransformerPart part, const TransformerSpec& model, double dropped) {
  const std::int64_t own = part == TransformerPart::head && model.tied_embeddings
                               ? replicated_parameters(part, model)
                               : parameters(part, model, 1);
  if (part != TransformerPart::experts) return static_cast<double>(own);
  return static_cast<double>(own) + (1 - dropped) * chosen_parameters(model);
}

// The parts of the model, each with whether its forward pass is done again.
std::vector<StagePart> all_parts(const TransformerWorkload& workload) {
  std::vector<StagePart> parts;
  const bool twice = workload.training.same_stages() == 2;  // dualpipe: both halves have all
  const std::int32_t stages = workload.training.pipeline / (twice ? 2 : 1);
  for (std::int32_t stage = 0; stage < stages; ++stage)
    for (const auto& chunk : stage_layout(workload, stage).chunks)
      parts.insert(parts.end(), chunk.begin(), chunk.end());
  return parts;
}

// Attention that is not one kernel can keep its inputs only; a flash kernel always does, and what
// that costs is in no convention.
bool scores_again(const TransformerWorkload& workload) {
  return workload.training.recompute == Recompute::selective && workload.model.has_all_scores();
}

}  // namespace

std::string_view name_of(FlopConvention convention) {
  switch (convention) {
    case FlopConvention::model:
      return "model";
    case FlopConvention::causal:
      return "causal";
    case FlopConvention::palm:
      return "palm";
    case FlopConvention::six_n:
      return "six_n";
    case FlopConvention::recomputed:
      return "recomputed";
  }
  return "?";
}

double training_flops(const TransformerWorkload& workload, FlopConvention convention) {
  double products = 0, attention = 0, again = 0, met = 0;
  const double dropped = dropped_copies(workload);
  std::int64_t adapters = 0;
  TransformerTraining whole = workload.training;
  whole.tensor = 1;
  for (const StagePart& part : all_parts(workload)) {
    adapters += adapter_parameters(part.part, workload.model, whole);
    Forward forward = forward_of(part.part, workload.model);
    if (part.part == TransformerPart::experts)
      forward.products -= 2 * dropped * chosen_parameters(workload.model) *
                          static_cast<double>(workload.model.sequence);
    products += forward.products;
    attention += forward.attention;
    met += parameters_met(part.part, workload.model, dropped);
    if (part.recomputed && is_of_layer(part.part)) again += forward.products + forward.attention;
    if (part.recomputed && workload.training.recompute_stops_early)
      again -= last_product(part.part, workload.model);
    if (!part.recomputed && scores_again(workload)) again += forward.attention;
  }
  const auto batch = static_cast<double>(workload.training.global_batch);
  const double tokens = batch * static_cast<double>(workload.model.sequence);
  // Frozen matrices have no weight gradients; adapters have all three passes.
  const bool freezes = workload.training.lora.freezes();
  const double frozen = freezes ? products : 0, frozen_met = freezes ? 2 * met : 0;
  const double of_adapters = tokens * 6 * static_cast<double>(adapters);
  switch (convention) {
    case FlopConvention::model:
      return batch * (3 * (products + attention) - frozen) + of_adapters;
    case FlopConvention::causal:
      return batch * (3 * (products + attention / 2) - frozen) + of_adapters;
    case FlopConvention::palm:
      return tokens * (6 * met - frozen_met) + batch * 3 * attention + of_adapters;
    case FlopConvention::six_n:
      return tokens * (6 * met - frozen_met) + of_adapters;
    case FlopConvention::recomputed:
      return batch * (3 * (products + attention) + again - frozen) + of_adapters;
  }
  return 0;
}

}  // namespace orrery
