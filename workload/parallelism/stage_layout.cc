#include "workload/parallelism/stage_layout.h"

#include <algorithm>
#include <utility>

#include "workload/parallelism/chunk_placement.h"
#include "workload/parallelism/gradient_buckets.h"

namespace orrery {

namespace {

struct ModelPart {
  TransformerPart part;
  std::int64_t layer;  // -1 = of none
};

std::vector<ModelPart> parts_of(const TransformerWorkload& workload, std::int64_t part,
                                std::int64_t parts) {
  const bool ends_count = workload.training.ends_take_a_layer;
  const std::int64_t slots = workload.model.layers + (ends_count ? 2 : 0);
  std::int64_t layers = slots / parts + (part < slots % parts ? 1 : 0);
  std::int64_t first = slots / parts * part + std::min(part, slots % parts);
  if (ends_count) layers -= (part == 0 ? 1 : 0) + (part == parts - 1 ? 1 : 0);
  if (ends_count && part > 0) --first;
  std::vector<ModelPart> list;
  if (part == 0) list.push_back({TransformerPart::embedding, -1});
  for (std::int64_t layer = first; layer < first + layers; ++layer) {
    const bool experts = workload.model.experts.in_layer(layer);
    list.push_back({workload.model.is_windowed(layer) ? TransformerPart::window_attention
                                                      : TransformerPart::attention,
                    layer});
    list.push_back({experts ? TransformerPart::experts : TransformerPart::mlp, layer});
  }
  if (part == parts - 1) list.push_back({TransformerPart::head, -1});
  return list;
}

// As bucket_sizes(), of layers: a layer is complete when the backward pass is through its
// attention.
std::vector<std::int64_t> layer_sizes(const std::vector<ModelPart>& parts,
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
  if (kept == Kept::by_experts)
    return part == TransformerPart::experts
               ? expert_parameters(workload.model, workload.training.experts)
               : 0;
  const bool shared =
      part == TransformerPart::head && workload.model.tied_embeddings && !joins_ends(workload);
  return shared ? replicated_parameters(part, workload.model)
                : parameters(part, workload.model, workload.training.tensor);
}

// Of these, that are trained.
std::int64_t trained_parameters(TransformerPart part, const TransformerWorkload& workload,
                                Kept kept) {
  if (!workload.training.lora.freezes()) return own_parameters(part, workload, kept);
  return kept == Kept::by_all ? adapter_parameters(part, workload.model, workload.training) : 0;
}

// Of these, what every rank of the tensor-parallel group has in full.
std::int64_t replicated_trained(TransformerPart part, const TransformerWorkload& workload) {
  return workload.training.lora.freezes()
             ? replicated_adapters(part, workload.model, workload.training)
             : replicated_parameters(part, workload.model);
}

class LayoutWriter {
 public:
  LayoutWriter(const TransformerWorkload& workload, std::int32_t stage, Kept kept)
      : workload_(workload),
        training_(workload.training),
        placement_(training_.schedule, pipeline_shape(training_)),
        stage_(stage),
        kept_(kept) {}

  void add_chunk(std::int32_t chunk);

  StageLayout layout;

 private:
  Group group_of(std::int32_t part) const {
    const bool upper = placement_.both_ways() && part >= placement_.parts() / 2;
    if (kept_ == Kept::by_experts) return upper ? Group::expert_data_other : Group::expert_data;
    if (upper) return Group::data_other;
    return training_.shard_ranks() > 1 ? Group::shard : Group::data;
  }

  // FSDP keeps the parameters of the root module, the head, from the forward to the backward pass.
  // A tied head on the stage of the embedding uses the embedding's.
  bool is_of_head(TransformerPart part) const {
    return part == TransformerPart::head ||
           (part == TransformerPart::embedding && workload_.model.tied_embeddings &&
            !joins_ends(workload_));
  }

  const TransformerWorkload& workload_;
  const TransformerTraining& training_;
  ChunkPlacement placement_;
  std::int32_t stage_;
  Kept kept_;
};

void LayoutWriter::add_chunk(std::int32_t chunk) {
  const std::int32_t number = placement_.part({stage_, chunk});
  const auto parts = parts_of(workload_, number, placement_.parts());
  const bool is_zero3 = training_.sharding == Sharding::zero3;
  std::vector<std::int64_t> backwards, trained;  // that are exchanged, and have gradients
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    trained.push_back(trained_parameters(part->part, workload_, kept_));
    std::int64_t all = own_parameters(part->part, workload_, kept_);
    if (training_.lora.freezes()) all += trained.back();
    backwards.push_back(is_zero3 ? all : trained.back());
    layout.parameters += all;
    layout.trained += trained.back();
    if (kept_ == Kept::by_all) layout.replicated += replicated_trained(part->part, workload_);
  }
  const BucketRule rule{training_.bucket, workload_.model.gradient_element, training_.data};
  const auto sizes =
      is_zero3 ? layer_sizes(parts, backwards) : bucket_sizes(backwards, rule.elements(number));
  const auto trained_sizes = is_zero3 ? layer_sizes(parts, trained) : sizes;
  std::vector<StagePart>& own = layout.chunks.emplace_back();
  std::int64_t layers = 0;
  StagePart* last = nullptr;  // with something to exchange
  own.reserve(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::int64_t complete = sizes[parts.size() - 1 - i];
    if (complete > 0) {
      if (last != nullptr) last->closes = true;
      layout.units.push_back({complete, trained_sizes[parts.size() - 1 - i], chunk,
                              group_of(number), is_of_head(parts[i].part)});
    }
    if (is_attention(parts[i].part)) ++layers;
    const bool recomputed = training_.recompute == Recompute::full &&
                            layers <= training_.recompute_layers.value_or(workload_.model.layers);
    StagePart& part = own.emplace_back();
    part = {parts[i].part, static_cast<std::int32_t>(parts[i].layer), -1, recomputed, complete > 0};
    // It has nothing to exchange, and the unit before it ended without it.
    if (complete == 0 && backwards[parts.size() - 1 - i] == 0) continue;
    part.unit = static_cast<std::int32_t>(layout.units.size()) - 1;
    last = &part;
  }
  if (last != nullptr) last->closes = true;
}

}  // namespace

StageLayout stage_layout(const TransformerWorkload& workload, std::int32_t stage, Kept kept) {
  LayoutWriter writer(workload, stage, kept);
  for (std::int32_t chunk = 0; chunk < workload.training.stage_chunks(); ++chunk)
    writer.add_chunk(chunk);
  return std::move(writer.layout);
}

}  // namespace orrery
