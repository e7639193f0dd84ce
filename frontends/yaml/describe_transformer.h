// The keys of `workload.transformer` and `workload.training`. Keys is Reader or SchemaWriter.
#pragma once

#include <cstdint>

#include "frontends/experiment.h"
#include "frontends/yaml/platform_facts.h"
#include "frontends/yaml/presets.h"
#include "frontends/yaml/reader.h"

namespace orrery::yaml {

// What a key by itself does not show: sums fit into 64 bits, the widths divide.
void check_transformer(Reader& model, const TransformerSpec& spec);
// The parallel sizes fill the platform, and divide what they cut. Works out what was left out.
void check_training(Reader& training, TransformerTraining& spec, const TransformerSpec& model,
                    const PlatformFacts& platform);

template <class Keys>
void describe_transformer(Keys& keys, TransformerSpec& spec) {
  const TransformerPreset* preset = nullptr;
  keys.preset(transformer_presets(), preset, "a published model that gives the other values");
  if (preset != nullptr) spec = preset->spec;
  constexpr Limits size = between(1, std::int64_t{1} << 32);
  constexpr Limits size_or_default = between(0, std::int64_t{1} << 32);
  DataType data_type = DataType::bf16, gradient_type = DataType::fp32;
  keys.from_preset("layers", spec.layers, "attention and MLP blocks", size);
  keys.from_preset("hidden", spec.hidden, "width between the blocks", size);
  keys.from_preset("heads", spec.heads, "attention heads", size);
  keys.optional("head_dimension", spec.head_dimension, "width of a head; 0 = hidden / heads",
                size_or_default);
  keys.optional("key_value_heads", spec.key_value_heads,
                "heads that keys and values have, for grouped-query attention; 0 = heads",
                size_or_default);
  keys.optional("feed_forward", spec.feed_forward, "inner width of the MLP; 0 = 4 x hidden",
                size_or_default);
  keys.optional("gated", spec.gated, "the MLP multiplies two inner products (SwiGLU)");
  keys.optional("causal_kernel", spec.causal_kernel,
                "attention computes only what causality does not mask");
  keys.optional("tied_embeddings", spec.tied_embeddings,
                "input and output embedding are one matrix");
  keys.from_preset("vocabulary", spec.vocabulary, "rows of the embedding, padded", size);
  keys.from_preset("sequence", spec.sequence, "tokens of a sample", size);
  keys.optional("data_type", data_type, "of weights and activations");
  keys.optional("gradient_type", gradient_type, "of gradients when they are summed");
  spec.element = size_of(data_type);
  spec.gradient_element = size_of(gradient_type);
  keys.check([&](Reader& reader) { check_transformer(reader, spec); });
}

template <class Keys>
void describe_training(Keys& keys, TransformerTraining& spec, const TransformerSpec& model,
                       const PlatformFacts& platform) {
  constexpr Limits ranks = between(1, std::int64_t{1} << 24);
  std::optional<std::int32_t> data;
  keys.optional("tensor", spec.tensor, "ranks that share each matrix", ranks);
  keys.optional("pipeline", spec.pipeline, "stages that share the layers", ranks);
  keys.optional("data", data, "replicas; without it as many as the platform has room for", ranks);
  keys.optional("sequence_parallel", spec.sequence_parallel,
                "tensor-parallel ranks also share the tokens between the matrices");
  keys.optional("schedule", spec.schedule, "order of the micro-batches in a pipeline");
  keys.optional("chunks", spec.chunks,
                "parts of the layers that a stage has, for the interleaved schedule", ranks);
  keys.required("global_batch", spec.global_batch, "samples of an iteration",
                between(1, std::int64_t{1} << 32));
  keys.optional("micro_batch", spec.micro_batch, "samples that a pipeline takes in at a time",
                between(1, std::int64_t{1} << 32));
  keys.optional("recompute", spec.recompute,
                "what the backward pass computes again instead of having kept it");
  keys.optional("optimizer", spec.optimizer,
                "whether data-parallel ranks each update all parameters, or a share (ZeRO-1)");
  keys.optional("overlap_gradients", spec.overlap_gradients,
                "gradients are exchanged beside the backward pass");
  keys.optional("bucket", spec.bucket,
                "gradients that are exchanged together; without it as Megatron-LM does", positive);
  keys.optional("order", spec.order, "which ranks are neighbours: tensor, then data or pipeline");
  keys.check([&](Reader& reader) {
    spec.data = data.value_or(0);
    check_training(reader, spec, model, platform);
  });
}

}  // namespace orrery::yaml
