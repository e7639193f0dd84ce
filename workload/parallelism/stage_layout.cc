#include "workload/parallelism/stage_layout.h"

#include <algorithm>
#include <utility>

#include "workload/parallelism/gradient_buckets.h"

namespace orrery {

namespace {

std::vector<StagePart> parts_of(const TransformerWorkload& workload, std::int64_t chunk,
                                std::int64_t chunks) {
  const std::int64_t all = workload.model.layers;
  std::vector<StagePart> parts;
  const auto add = [&](TransformerPart part, std::int64_t layer) {
    parts.push_back({part, static_cast<std::int32_t>(layer), -1});
  };
  if (chunk == 0) add(TransformerPart::embedding, -1);
  const std::int64_t first = all / chunks * chunk + std::min(chunk, all % chunks);
  const std::int64_t layers = all / chunks + (chunk < all % chunks ? 1 : 0);
  for (std::int64_t layer = first; layer < first + layers; ++layer) {
    add(TransformerPart::attention, layer);
    add(workload.model.experts.in_layer(layer) ? TransformerPart::experts : TransformerPart::mlp,
        layer);
  }
  if (chunk == chunks - 1) add(TransformerPart::head, -1);
  return parts;
}

// As bucket_sizes(), of layers: a layer is complete when the backward pass is through its
// attention.
std::vector<std::int64_t> layer_sizes(const std::vector<StagePart>& parts,
                                      const std::vector<std::int64_t>& parameters) {
  std::vector<std::int64_t> sizes(parameters.size());
  std::int64_t filled = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    filled += parameters[i];
    const TransformerPart part = parts[parts.size() - 1 - i].part;
    if (part != TransformerPart::mlp && part != TransformerPart::experts)
      sizes[i] = std::exchange(filled, 0);
  }
  return sizes;
}

// A matrix that is both embedding and head is counted once if one stage has both.
std::int64_t own_parameters(TransformerPart part, const TransformerWorkload& workload, Kept kept) {
  const TransformerTraining& training = workload.training;
  if (kept == Kept::by_experts)
    return part == TransformerPart::experts ? expert_parameters(workload.model, training.experts)
                                            : 0;
  const bool shared =
      part == TransformerPart::head && workload.model.tied_embeddings && training.pipeline == 1;
  return shared ? replicated_parameters(part, workload.model)
                : parameters(part, workload.model, training.tensor);
}

}  // namespace

StageLayout stage_layout(const TransformerWorkload& workload, std::int32_t stage, Kept kept) {
  const TransformerTraining& training = workload.training;
  const BucketRule rule{training.bucket, workload.model.gradient_element, training.data};
  StageLayout layout;
  for (std::int32_t chunk = 0; chunk < training.chunks; ++chunk) {
    std::vector<StagePart> parts =
        parts_of(workload, std::int64_t{chunk} * training.pipeline + stage,
                 std::int64_t{training.pipeline} * training.chunks);
    std::vector<std::int64_t> backwards;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      backwards.push_back(own_parameters(part->part, workload, kept));
      layout.parameters += backwards.back();
      if (kept == Kept::by_all) layout.norms += replicated_parameters(part->part, workload.model);
    }
    const auto sizes = training.sharding == Sharding::zero3
                           ? layer_sizes(parts, backwards)
                           : bucket_sizes(backwards, rule.elements(stage));
    StagePart* last = nullptr;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::int64_t complete = sizes[parts.size() - 1 - i];
      if (complete > 0) {
        if (last != nullptr) last->closes = true;
        layout.units.push_back({complete});
        parts[i].opens = true;
      }
      // Parts before the first unit of a chunk have nothing to exchange.
      if (complete == 0 && last == nullptr) continue;
      parts[i].unit = static_cast<std::int32_t>(layout.units.size()) - 1;
      last = &parts[i];
    }
    if (last != nullptr) last->closes = true;
    layout.chunks.push_back(std::move(parts));
  }
  return layout;
}

}  // namespace orrery
