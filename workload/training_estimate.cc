#include "workload/training_estimate.h"

#include "core/units/total.h"
#include "workload/model/transformer.h"

namespace orrery {

namespace {

// Parameters of a rank: layers and vocabulary once, spread over stages and tensor-parallel ranks.
std::int64_t matrix_parameters(const TransformerSpec& model, const TransformerTraining& training) {
  const std::int64_t attention = 2 * (model.query_width() + model.key_value_width());
  const std::int64_t mlp = (model.mlp_inputs() + 1) * model.mlp_width();
  const std::int64_t all = model.hidden * (model.layers * (attention + mlp) + model.vocabulary);
  return all / (std::int64_t{training.pipeline} * training.tensor);
}

// Of these, what the last product of each layer takes.
std::int64_t last_products(const TransformerSpec& model, const TransformerTraining& training) {
  return model.hidden * model.layers * model.mlp_width() /
         (std::int64_t{training.pipeline} * training.tensor);
}

std::int64_t adapter_parameters_of_rank(const TransformerSpec& model,
                                        const TransformerTraining& training) {
  return (adapter_parameters(TransformerPart::attention, model, training) +
          adapter_parameters(TransformerPart::mlp, model, training)) *
         model.layers / training.pipeline;
}

// The time of a ring: each of n ranks sends `rounds` (n - 1)-th parts of `size`.
Duration ring_time(TotalBytes size, std::int64_t ranks, std::int64_t rounds, Bandwidth rate) {
  return transfer_time(size * rounds * (ranks - 1), rate * ranks);
}

Duration data_time(const TransformerSpec& model, const TransformerTraining& training,
                   std::int64_t parameters, Bandwidth rate) {
  const Bytes gradients = model.gradient_element * parameters;
  if (training.sharding == Sharding::none) return ring_time(gradients, training.data, 2, rate);
  return ring_time(gradients, training.data, 1, rate) +
         ring_time(model.element * parameters, training.data, 1, rate);
}

}  // namespace

TrainingEstimate estimate(const TransformerWorkload& workload, const EstimateRates& rates) {
  const TransformerSpec& model = workload.model;
  const TransformerTraining& training = workload.training;
  const bool again = training.recompute == Recompute::full;
  const std::int64_t m = training.micro_batches(), p = training.pipeline;
  const std::int64_t tokens = training.micro_batch * model.sequence;
  const std::int64_t parameters = matrix_parameters(model, training);
  const Bytes activations = model.element * (tokens * model.hidden);
  const bool in_parts = training.sequence_parallel || training.scatter_gather;
  const Bytes boundary{activations.value / (in_parts ? training.tensor : 1)};

  TrainingEstimate result;
  const bool early = again && training.recompute_stops_early;
  const bool freezes = training.lora.freezes();  // no weight gradients, but those of adapters
  const auto whole_passes = TotalFlops(Flops{parameters}) * ((again ? 8 : 6) - (freezes ? 2 : 0));
  const auto forward_and_backward =
      early ? whole_passes - TotalFlops(Flops{last_products(model, training)}) * 2 : whole_passes;
  result.compute = compute_time(forward_and_backward * tokens * m, rates.compute);
  const std::int64_t of_layer =
      ((again ? 6 : 4) - (early ? 1 : 0)) / (model.parallel_blocks ? 2 : 1) +
      (training.sequence_parallel ? 1 : 0);
  const std::int64_t all_reduces = of_layer * model.layers * m;
  result.tensor =
      ring_time(TotalBytes(activations) * all_reduces, training.tensor, 2, rates.tensor * p);
  if (p > 1) result.pipeline = transfer_time(TotalBytes(boundary) * 2 * m, rates.pipeline);
  const Duration of_passes = result.compute + result.tensor + result.pipeline;
  result.bubble = (TotalTime(of_passes) * (p - 1)).mean(m * training.chunks);
  result.data =
      data_time(model, training, freezes ? adapter_parameters_of_rank(model, training) : parameters,
                rates.data);
  if (p > 1 && model.tied_embeddings && !freezes)
    result.embedding =
        transfer_time(model.gradient_element * (model.vocabulary * model.hidden / training.tensor),
                      rates.pipeline);
  return result;
}

}  // namespace orrery
