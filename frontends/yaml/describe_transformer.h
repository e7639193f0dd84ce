// The keys of `workload.transformer`.
#pragma once

#include <cstdint>

#include "frontends/yaml/describe_experts.h"
#include "frontends/yaml/reader.h"
#include "simulation/experiment.h"
#include "workload/model_presets.h"
#include "workload/problems.h"

namespace orrery::yaml {

inline void describe_transformer(Keys& keys, TransformerSpec& spec) {
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
  keys.optional_map("latent_attention",
                    "multi-head latent attention, in the place of the two above", [&](Keys& below) {
                      if (!spec.latent) spec.latent.emplace();
                      describe_latent_attention(below, *spec.latent);
                    });
  keys.optional("feed_forward", spec.feed_forward, "inner width of the MLP; 0 = 4 x hidden",
                size_or_default);
  keys.optional("gated", spec.gated, "the MLP multiplies two inner products (SwiGLU)");
  keys.optional("attention", spec.attention,
                "flash: one kernel; unfused: scores, softmax, dropout and values are kernels that "
                "read and write sequence x sequence elements; eager: mask and biases are, too",
                any_value, "default");
  keys.optional("causal_kernel", spec.causal_kernel,
                "flash attention computes only what causality does not mask");
  keys.optional("sliding_window", spec.window,
                "tokens that a query of attention sees, the last of them its own; 0 = all",
                size_or_default);
  keys.optional(
      "full_attention_every", spec.full_attention_every,
      "with sliding_window: of so many layers the last one sees all tokens; 0 = none does",
      size_or_default);
  keys.optional("parallel_blocks", spec.parallel_blocks,
                "attention and MLP of a layer have one norm and one input, and their results are "
                "added (GPT-J, PaLM)");
  keys.optional("tied_embeddings", spec.tied_embeddings,
                "input and output embedding are one matrix");
  keys.from_preset("vocabulary", spec.vocabulary, "rows of the embedding, padded", size);
  keys.from_preset("sequence", spec.sequence, "tokens of a sample", size);
  keys.optional("data_type", data_type, "data type of weights and activations", any_value,
                "default");
  keys.optional("eight_bit_products", spec.eight_bit_products,
                "layers multiply 8-bit operands (Transformer Engine), with the casts that this "
                "takes; peak is that of 8 bits, and the head has half of it",
                any_value, "default");
  keys.optional("gradient_type", gradient_type, "data type of gradients when they are summed",
                any_value, "default");
  std::int64_t predicting = 0;  // simulation/result/training_notices.cc finds it among the values
  if (keys.given("prediction_layers"))
    keys.optional("prediction_layers", predicting,
                  "layers of multi-token prediction, which are not simulated; a notice says so",
                  between(0, 64));
  keys.map("experts", "layers of experts in the place of MLPs",
           [&](Keys& below) { describe_experts(below, spec.experts, spec); });
  spec.element = size_of(data_type);
  spec.gradient_element = size_of(gradient_type);
  keys.check([&](Reader& reader) {
    if (reader.clean()) reader.report(problems_of(spec));
  });
}

}  // namespace orrery::yaml
