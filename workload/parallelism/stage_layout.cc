#include "workload/parallelism/stage_layout.h"

#include "workload/parallelism/gradient_buckets.h"

namespace orrery {

namespace {

std::vector<TransformerPart> parts_of(const TransformerWorkload& workload, std::int64_t chunk,
                                      std::int64_t chunks) {
  const std::int64_t all = workload.model.layers;
  std::vector<TransformerPart> parts;
  if (chunk == 0) parts.push_back(TransformerPart::embedding);
  const std::int64_t layers = all / chunks + (chunk < all % chunks ? 1 : 0);
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    parts.push_back(TransformerPart::attention);
    parts.push_back(TransformerPart::mlp);
  }
  if (chunk == chunks - 1) parts.push_back(TransformerPart::head);
  return parts;
}

// As bucket_sizes(), of layers: a layer is complete when the backward pass is through its
// attention.
std::vector<std::int64_t> layer_sizes(const std::vector<TransformerPart>& parts,
                                      const std::vector<std::int64_t>& parameters) {
  std::vector<std::int64_t> sizes(parameters.size());
  std::int64_t filled = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    filled += parameters[i];
    if (parts[parts.size() - 1 - i] != TransformerPart::mlp) sizes[i] = std::exchange(filled, 0);
  }
  return sizes;
}

// A matrix that is both embedding and head is counted once if one stage has both.
std::int64_t own_parameters(TransformerPart part, const TransformerWorkload& workload) {
  const TransformerTraining& training = workload.training;
  const bool shared = part == TransformerPart::head && workload.model.tied_embeddings &&
                      training.pipeline == 1;
  return shared ? replicated_parameters(part, workload.model)
                : parameters(part, workload.model, training.tensor);
}

}  // namespace

StageLayout stage_layout(const TransformerWorkload& workload, std::int32_t stage) {
  const TransformerTraining& training = workload.training;
  const BucketRule rule{training.bucket, workload.model.gradient_element, training.data};
  StageLayout layout;
  for (std::int32_t chunk = 0; chunk < training.chunks; ++chunk) {
    const std::vector<TransformerPart> parts =
        parts_of(workload, std::int64_t{chunk} * training.pipeline + stage,
                 std::int64_t{training.pipeline} * training.chunks);
    std::vector<std::int64_t> backwards;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      backwards.push_back(own_parameters(*part, workload));
      layout.parameters += backwards.back();
      layout.norms += replicated_parameters(*part, workload.model);
    }
    const auto sizes = training.sharding == Sharding::zero3
                           ? layer_sizes(parts, backwards)
                           : bucket_sizes(backwards, rule.elements(stage));
    std::vector<StagePart>& own = layout.chunks.emplace_back();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::int64_t complete = sizes[parts.size() - 1 - i];
      if (complete > 0) {
        if (!own.empty()) own.back().closes = true;
        layout.units.push_back({complete});
      }
      own.push_back({parts[i], static_cast<std::int32_t>(layout.units.size()) - 1, complete > 0});
    }
    if (!own.empty()) own.back().closes = true;
  }
  return layout;
}

}  // namespace orrery
