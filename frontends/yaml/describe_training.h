// The keys of `workload.training`: how a transformer is trained.
#pragma once

#include <cstdint>
#include <optional>

#include "frontends/yaml/describe_experts.h"
#include "frontends/yaml/platform_facts.h"
#include "frontends/yaml/reader.h"
#include "workload/workload_spec.h"

namespace orrery::yaml {

// The rules of workload/problems.h. Works out the data-parallel ranks that were left out.
void check_training(Reader& training, TransformerTraining& spec, const TransformerSpec& model,
                    const PlatformFacts& platform);

inline void describe_pipeline(Keys& keys, TransformerTraining& spec) {
  constexpr Limits count = between(0, std::int64_t{1} << 24);
  keys.optional("schedule", spec.schedule, "order of the micro-batches in a pipeline");
  keys.optional("chunks", spec.chunks,
                "parts of the layers that a stage has, for the interleaved schedule",
                between(1, std::int64_t{1} << 24));
  keys.optional(
      "micro_batch_group", spec.micro_batch_group,
      "micro-batches that pass a chunk in a row, for the interleaved schedule; 0 = as many "
      "as there are stages",
      count);
  keys.optional("embedding_and_loss_take_a_layer", spec.ends_take_a_layer,
                "embedding and head count as a layer each when layers are dealt out to stages");
  keys.optional("overlap_p2p", spec.overlap_p2p,
                "sends between stages overlap what is computed next; without it as in Megatron-LM: "
                "not in 1f1b");
  keys.optional("scatter_gather", spec.scatter_gather,
                "without sequence_parallel: tensor-parallel ranks each send their part of the "
                "activations to the next stage, which gathers them");
  keys.optional("post_validation", spec.post_validation,
                "the optimizer does not wait for the norm of all gradients, for zero-bubble "
                "schedules");
  keys.optional("defer_head_gradients", spec.defer_head_gradients,
                "weight gradients of the head are computed behind the backward passes of all "
                "micro-batches (defer_embedding_wgrad_compute)");
  keys.optional(
      "deferral_limit", spec.deferral_limit,
      "first micro-batches whose head gradients are deferred (wgrad_deferral_limit); 0 = all",
      count);
}

// What data-parallel ranks share, and when they exchange it.
inline void describe_data_parallelism(Keys& keys, TransformerTraining& spec) {
  keys.optional("sharding", spec.sharding,
                "what data-parallel ranks divide between them: nothing, optimizer states (zero1, "
                "Megatron-LM's distributed optimizer), gradients too (zero2), parameters too "
                "(zero3, FSDP)");
  keys.optional("shard_group", spec.shard_group,
                "data-parallel ranks that share one copy (zero3: HSDP); gradients are then summed "
                "over the copies; 0 = all",
                between(0, std::int64_t{1} << 24));
  keys.optional("accumulation", spec.accumulation,
                "whether gradients are exchanged with the last micro-batch or reduced with each; "
                "without it reduced for zero2, and for zero3 without pipeline");
  keys.optional("fp8_parameters", spec.fp8_parameters,
                "parameters are gathered in 8 bits (fp8-param-gather); with sharding and "
                "eight_bit_products");
  keys.optional("activation_overhead", spec.activation_overhead,
                "memory that activations take besides what is counted, such as 25 % for software "
                "with unfused norms; changes no time");
  keys.optional("overlap_gradients", spec.overlap_gradients,
                "gradients are exchanged beside the backward pass");
  keys.optional("overlap_parameters", spec.overlap_parameters,
                "parameters are gathered beside the next forward pass, bucket by bucket; of zero1 "
                "and zero2");
  keys.optional("prefetch", spec.prefetch,
                "layers (zero3) or buckets (overlap_parameters) gathered ahead of their use",
                between(0, 1024));
  keys.optional("reshard_after_forward", spec.reshard_after_forward,
                "zero3 frees parameters after the forward pass and gathers them again; without it "
                "as in torchtitan: only without a pipeline");
  keys.optional("bucket", spec.bucket,
                "gradients that are exchanged together; without it as Megatron-LM does", positive);
}

template <>
inline constexpr auto last_word<AdaptedMatrices> = AdaptedMatrices::mlp;

inline void describe_adapters(Keys& keys, LowRankAdapters& spec) {
  keys.required("rank", spec.rank, "inputs of B, outputs of A in W x + B A x",
                between(1, std::int64_t{1} << 24));
  keys.optional("matrices", spec.matrices, "which matrices of a layer have adapters");
}

// Of data-parallel ranks and a batch that are left out, spec.data and spec.global_batch are 0.
inline void describe_unchecked_training(Keys& keys, TransformerTraining& spec,
                                        const TransformerSpec& model,
                                        const PlatformFacts& platform) {
  constexpr Limits ranks = between(1, std::int64_t{1} << 24);
  std::optional<std::int32_t> data;
  std::optional<std::int64_t> batch;
  keys.optional("tensor", spec.tensor, "ranks that share each matrix", ranks);
  keys.optional("pipeline", spec.pipeline, "stages that share the layers", ranks);
  keys.optional("data", data, "replicas; without it as many as the platform has room for", ranks);
  describe_context(keys, spec);
  if (model.experts.count > 0 && spec.tensor > 1) spec.sequence_parallel = true;
  keys.optional("sequence_parallel", spec.sequence_parallel,
                "tensor-parallel ranks also share the tokens between the matrices; with experts, "
                "true unless it is given",
                any_value, "default");
  keys.optional("overlap_tensor", spec.overlap_tensor,
                "the exchanges of sequence_parallel go rank by rank beside the matrix products "
                "that need them (tp_comm_overlap, async TP)");
  keys.optional("overlap_gradient_sums", spec.overlap_gradient_sums,
                "tensor-parallel ranks sum input gradients beside the weight gradient of the same "
                "matrix, as Megatron-LM does since 2022; the efficiency of older software "
                "says false");
  keys.optional("separate_products", spec.separate_products,
                "a product for each of queries, keys, values, gate and rest (torchtitan)");
  describe_pipeline(keys, spec);
  keys.optional("global_batch", batch,
                "samples of an iteration; without it about 4 Mi tokens, which the report calls "
                "ASSUMED",
                between(1, std::int64_t{1} << 32));
  keys.optional("micro_batch", spec.micro_batch, "samples that a pipeline takes in at a time",
                between(1, std::int64_t{1} << 32));
  keys.optional("recompute", spec.recompute,
                "what the backward pass computes again instead of keeping it");
  keys.optional("recompute_stops_early", spec.recompute_stops_early,
                "with recompute: full, the last product of an MLP and its sum are not computed "
                "again, as PyTorch's checkpoints do since 2.1 (use_reentrant=False)");
  keys.optional("recompute_layers", spec.recompute_layers,
                "first layers of each chunk that are recomputed, with recompute: full; without it, "
                "all layers",
                between(0, std::int64_t{1} << 24));
  keys.optional(
      "fused_cross_entropy", spec.fused_cross_entropy,
      "the loss takes two all-reduces over the vocabulary's parts instead of three and fewer "
      "passes through the logits");
  keys.optional("optimizer_traffic", spec.optimizer_traffic,
                "memory that the optimizer's step reads and writes for each parameter that the "
                "rank updates; the efficiency of older software says more",
                not_negative);
  keys.optional_map("lora", "matrices are frozen, and adapters of low rank are trained beside them",
                    [&](Keys& below) { describe_adapters(below, spec.lora); });
  describe_data_parallelism(keys, spec);
  keys.optional("order", spec.order,
                "which ranks are neighbours: of tensor, context and expert "
                "parallelism, then data or pipeline");
  describe_expert_training(keys, spec.experts, model, platform);
  keys.check([&](Reader&) {
    spec.data = data.value_or(0);
    spec.global_batch = batch.value_or(0);
  });
}

inline void describe_training(Keys& keys, TransformerTraining& spec, const TransformerSpec& model,
                              const PlatformFacts& platform) {
  describe_unchecked_training(keys, spec, model, platform);
  keys.check([&](Reader& reader) { check_training(reader, spec, model, platform); });
}

}  // namespace orrery::yaml
