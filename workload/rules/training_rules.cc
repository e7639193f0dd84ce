#include "workload/rules/training_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/base/memory_limit.h"
#include "system/operation_source.h"
#include "workload/operation_counts.h"

namespace orrery {

namespace {

constexpr std::int64_t most_ranks = std::int64_t{1} << 24;

// t c p. Far beyond any platform it is not exact, so that it stays below 2^63.
std::int64_t model_parallel(const TransformerTraining& spec) {
  constexpr std::int64_t many = std::int64_t{1} << 37;
  const std::int64_t shared = std::min(std::int64_t{spec.tensor} * spec.context, many);
  return shared * std::min<std::int64_t>(spec.pipeline, 2 * most_ranks);
}

void check_ranges(SpecProblems& problems, const TransformerTraining& spec) {
  for (const auto& [key, value] : {std::pair{"tensor", spec.tensor},
                                   {"pipeline", spec.pipeline},
                                   {"context", spec.context},
                                   {"context_inner", spec.context_inner},
                                   {"chunks", spec.chunks},
                                   {"expert", spec.experts.parallel},
                                   {"expert_tensor", spec.experts.tensor}})
    check_at_least(problems, key, value, 1);
  check_at_least(problems, "global_batch", spec.global_batch, 1);
  check_at_least(problems, "micro_batch", spec.micro_batch, 1);
  for (const auto& [key, value] : {std::pair{"micro_batch_group", spec.micro_batch_group},
                                   {"shard_group", spec.shard_group},
                                   {"deferral_limit", spec.deferral_limit},
                                   {"prefetch", spec.prefetch},
                                   {"recompute_layers", spec.recompute_layers.value_or(0)}})
    check_at_least(problems, key, value, 0);
}

// t * c * p * d = ranks.
void check_ranks(SpecProblems& problems, const TransformerTraining& spec,
                 const PlatformFacts& platform) {
  // "tensor x pipeline", "2 x 4": without context parallelism it is not named.
  const bool shared = spec.context > 1;
  const std::string names = shared ? "tensor x context x pipeline" : "tensor x pipeline";
  const std::string sizes =
      shared ? fmt::format("{} x {} x {}", spec.tensor, spec.context, spec.pipeline)
             : fmt::format("{} x {}", spec.tensor, spec.pipeline);
  const std::int64_t others = model_parallel(spec);
  const std::int32_t room = data_ranks(spec, platform);
  if (room == 0)
    return problems.push_back(
        {spec.pipeline > 1 ? "pipeline"
         : shared          ? "context"
                           : "tensor",
         fmt::format("{} = {} does not divide the {} NPUs", names, others, platform.npus),
         fmt::format("choose sizes whose product divides {}", platform.npus)});
  if (spec.data != room)
    problems.push_back({"data",
                        fmt::format("{} x data = {} x {} = {}, but the platform has {} NPUs", names,
                                    sizes, spec.data, others * spec.data, platform.npus),
                        fmt::format("write data: {}, or leave it out", room)});
}

void check_batches(SpecProblems& problems, const TransformerTraining& spec) {
  const std::int64_t at_once = spec.micro_batch * spec.data;
  if (spec.global_batch % at_once != 0)
    problems.push_back({"global_batch",
                        fmt::format("{} samples are not a multiple of micro_batch x data = {} x {}",
                                    spec.global_batch, spec.micro_batch, spec.data),
                        fmt::format("write a multiple of {}, for example {}", at_once,
                                    (spec.global_batch / at_once + 1) * at_once)});
}

// What one operation computes and sends stays below 2^63, and so does the number of operations,
// all of which are written down before the simulation begins.
void check_sizes(SpecProblems& problems, const TransformerTraining& spec,
                 const TransformerSpec& model) {
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  const double tokens = real(spec.micro_batch) * real(model.sequence);
  const double width = real(model.hidden) + real(model.mlp_width()) + real(model.query_width());
  const double of_experts = real(model.experts.top_k) * real(model.expert_width());
  const double inner = width + of_experts;
  constexpr double most = 4.6e18;  // half of 2^63
  if (8 * tokens * inner * (inner + real(model.vocabulary) + real(model.sequence)) > most)
    return problems.push_back(
        {"micro_batch",
         fmt::format("{} samples of {} tokens make an operation of more than 4.6e18 "
                     "FLOP or bytes",
                     spec.micro_batch, model.sequence),
         "take fewer samples at a time"});
  const std::int64_t batches = spec.global_batch / (spec.micro_batch * spec.data);
  if (batches > std::numeric_limits<std::int32_t>::max())
    return problems.push_back({"global_batch", fmt::format("{} micro-batches", batches),
                               "take a smaller batch, or a larger micro_batch"});
  const double needed = operations_at_least(TransformerWorkload{model, spec}) * sizeof(Operation);
  if (const std::string why = why_no_memory(needed); !why.empty())
    problems.push_back({"global_batch",
                        fmt::format("{} micro-batches of {} layers {}", batches, model.layers, why),
                        "take a smaller batch, or a larger micro_batch"});
}

// What ZeRO and FSDP are combined with.
void check_sharding(SpecProblems& problems, const TransformerTraining& spec,
                    const TransformerSpec& model) {
  const bool zero2 = spec.sharding == Sharding::zero2, zero3 = spec.sharding == Sharding::zero3;
  if (zero2 && spec.pipeline > 1)
    problems.push_back({"sharding",
                        "zero2 reduces gradients with each micro-batch, a pipeline sums them first "
                        "(DeepSpeed refuses the two together)",
                        "write sharding: zero1, or zero3 as torchtitan does"});
  const bool reduced = spec.accumulates() == Accumulation::reduced;
  if (zero3 && spec.pipeline > 1 && reduced)
    problems.push_back({"accumulation",
                        "PyTorch's pipeline stages exchange gradients with the last micro-batch",
                        "write accumulation: local, or leave it out"});
  if (zero3 && spec.pipeline > 1 && model.tied_embeddings)
    problems.push_back(
        {"sharding",
         "the first and the last stage cannot shard one embedding (torchtitan refuses it)",
         "write tied_embeddings: false in the transformer, or sharding: zero1"});
  if (spec.sharding == Sharding::zero1 && reduced)
    problems.push_back({"accumulation", "zero1 keeps gradients until the last micro-batch",
                        "write sharding: zero2, which reduces them with each"});
  if (zero3 && spec.bucket)
    problems.push_back({"bucket", "zero3 exchanges layer by layer", "leave bucket out"});
  if (spec.shard_group > 0 && spec.replicas() % spec.shard_group != 0)
    problems.push_back({"shard_group",
                        fmt::format("{} does not divide the {} data-parallel ranks",
                                    spec.shard_group, spec.replicas()),
                        fmt::format("choose a divisor of {}", spec.replicas())});
}

// Settings that would change nothing.
void check_unused(SpecProblems& problems, const TransformerTraining& spec,
                  const TransformerSpec& model) {
  const bool none = spec.sharding == Sharding::none, zero3 = spec.sharding == Sharding::zero3;
  if (none && spec.shard_group > 0)
    problems.push_back({"shard_group", "without sharding there is nothing to share",
                        "write sharding: zero1, zero2 or zero3, or leave it out"});
  if (spec.overlap_parameters && (none || zero3))
    problems.push_back({"overlap_parameters",
                        none ? "without sharding no parameters are gathered"
                             : "zero3 always gathers parameters beside its passes",
                        "leave it out"});
  if (spec.fp8_parameters && (none || !model.eight_bit_products))
    problems.push_back(
        {"fp8_parameters",
         none ? "without sharding no parameters are gathered"
              : "products do not take them in 8 bits",
         none ? "leave it out" : "write eight_bit_products: true in the transformer"});
}

// Megatron-LM pads it to a multiple of 128 t.
void check_vocabulary(SpecProblems& problems, const TransformerTraining& spec,
                      const TransformerSpec& model) {
  if (model.vocabulary % spec.tensor == 0) return;
  const std::int64_t step = std::int64_t{128} * spec.tensor;
  problems.push_back(
      {"tensor",
       fmt::format("{} does not divide the {} rows of the vocabulary", spec.tensor,
                   model.vocabulary),
       fmt::format("pad it, as Megatron-LM does: write vocabulary: {} in the transformer",
                   (model.vocabulary + step - 1) / step * step)});
}

// Sequence parallelism divides them.
void check_split_tokens(SpecProblems& problems, const TransformerTraining& spec,
                        const TransformerSpec& model) {
  const std::int64_t tokens = spec.micro_batch * model.sequence / spec.context;
  if (spec.tensor <= 0 || tokens % spec.tensor == 0) return;
  const std::int64_t step = std::int64_t{spec.tensor} * spec.context * (spec.context > 1 ? 2 : 1);
  const std::int64_t nearest = std::max(step, (model.sequence + (step - 1) / 2) / step * step);
  problems.push_back({"tensor",
                      fmt::format("{} does not divide the {} tokens", spec.tensor, tokens),
                      fmt::format("write sequence: {} in the transformer", nearest)});
}

void check_tensor(SpecProblems& problems, const TransformerTraining& spec,
                  const TransformerSpec& model) {
  check_divides(problems, "tensor", spec.tensor, model.heads, "attention heads");
  if (spec.tensor % model.key_heads() != 0)
    check_divides(problems, "tensor", spec.tensor, model.key_heads(), "key heads");
  check_divides(problems, "tensor", spec.tensor, model.mlp_width(), "columns of the MLP");
  check_vocabulary(problems, spec, model);
  if (spec.sequence_parallel) check_split_tokens(problems, spec, model);
}

void check_sequence(SpecProblems& problems, const TransformerTraining& spec) {
  if (spec.sequence_parallel && spec.tensor == 1)
    problems.push_back({"sequence_parallel", "there is no tensor parallelism to add it to",
                        "give tensor: 2 or more, or leave it out"});
  if (spec.overlap_tensor && !spec.sequence_parallel)
    problems.push_back({"overlap_tensor",
                        spec.tensor == 1
                            ? "there is no tensor parallelism whose exchanges it splits"
                            : "it splits what sequence parallelism gathers and scatters "
                              "(Megatron-LM and PyTorch refuse it without)",
                        spec.tensor == 1 ? "give tensor: 2 or more, or leave it out"
                                         : "write sequence_parallel: true, or leave it out"});
}

// What adapters and parallel blocks are not described with.
void check_blocks(SpecProblems& problems, const TransformerTraining& spec,
                  const TransformerSpec& model) {
  if (model.parallel_blocks && spec.overlap_tensor)
    problems.push_back({"overlap_tensor",
                        "blocks in parallel share what is gathered and summed, which is not split",
                        "leave it out"});
  check_at_least(problems, "lora.rank", spec.lora.rank, 0);
  if (!spec.lora.freezes()) return;
  const auto refuse = [&](bool is_there, const char* key, const char* why) {
    if (is_there) problems.push_back({key, why, "leave it or lora out"});
  };
  refuse(model.experts.count > 0, "lora", "adapters of experts and routers are not described");
  refuse(model.latent.has_value(), "lora", "adapters of latent attention are not described");
  refuse(model.eight_bit_products, "lora", "adapters beside 8-bit products are not described");
  refuse(spec.overlap_tensor, "overlap_tensor", "adapters are not split into parts");
  refuse(spec.defer_head_gradients, "defer_head_gradients", "with lora the head is frozen");
}

// The most stages of equal layers, if that is more than one, among which `ranks` can be divided.
std::string remedy_of_stages(const TransformerTraining& spec, std::int64_t layers,
                             std::int64_t chunks, std::int64_t ranks) {
  const std::int64_t others = model_parallel(spec) / spec.pipeline;
  std::int64_t stages = layers / chunks;
  while (stages > 1 && (layers % (stages * chunks) != 0 || ranks % (others * stages) != 0))
    --stages;
  return stages > 1 ? fmt::format("each chunk needs a layer: write pipeline: {}", stages)
                    : "each chunk needs a layer: write fewer stages or chunks";
}

void check_layers(SpecProblems& problems, const TransformerTraining& spec,
                  const TransformerSpec& model, const PlatformFacts& platform) {
  const bool dual = spec.schedule == PipelineSchedule::dualpipe;
  const std::int32_t chunks = dual ? 1 : spec.stage_chunks();
  const std::int64_t layers = model.layers + (spec.ends_take_a_layer ? 2 : 0);
  if (layers < std::int64_t{spec.pipeline} * chunks)
    problems.push_back({"pipeline",
                        fmt::format("{} stages of {} chunk{} for {} layers", spec.pipeline, chunks,
                                    chunks == 1 ? "" : "s", model.layers),
                        remedy_of_stages(spec, layers, chunks, platform.npus)});
}

}  // namespace

std::int32_t data_ranks(const TransformerTraining& training, const PlatformFacts& platform) {
  const std::int64_t others = model_parallel(training);
  return platform.npus % others == 0 ? static_cast<std::int32_t>(platform.npus / others) : 0;
}

SpecProblems problems_of(const TransformerTraining& training, const TransformerSpec& model,
                         const PlatformFacts& platform) {
  SpecProblems problems;
  if (!sizes_out_of_range(model).empty()) return problems;  // the model has the problem
  check_ranges(problems, training);
  if (!problems.empty()) return problems;
  if (platform.known) check_ranks(problems, training, platform);
  if (problems.empty()) check_at_least(problems, "data", training.data, 1);
  if (problems.empty()) check_batches(problems, training);
  if (problems.empty()) check_sizes(problems, training, model);
  if (!problems.empty() || model_parallel(training) > most_ranks / training.data) return problems;
  check_pipeline(problems, training);
  check_sharding(problems, training, model);
  check_unused(problems, training, model);
  check_tensor(problems, training, model);
  check_context(problems, training, model);
  check_expert_training(problems, training, model);
  check_sequence(problems, training);
  check_blocks(problems, training, model);
  check_layers(problems, training, model, platform);
  add_below(problems, "expert_load", problems_of(training.experts.load, model.experts.count));
  return problems;
}

SpecProblems problems_of(const TransformerWorkload& workload, const PlatformFacts& platform) {
  SpecProblems problems;
  add_below(problems, "transformer", problems_of(workload.model));
  if (problems.empty())
    add_below(problems, "training", problems_of(workload.training, workload.model, platform));
  return problems;
}

SpecProblems idle_settings(const TransformerTraining& training, const TransformerSpec& model) {
  SpecProblems idle;
  const bool zero3 = training.sharding == Sharding::zero3;
  if (!training.defer_head_gradients)
    idle.push_back({"deferral_limit", "nothing is put off",
                    "write defer_head_gradients: true, or leave it out"});
  if (!zero3 && !training.overlap_parameters)
    idle.push_back({"prefetch", "nothing is gathered ahead of its use",
                    "write sharding: zero3 or overlap_parameters: true, or leave it out"});
  if (!zero3)
    idle.push_back({"reshard_after_forward", "only zero3 frees parameters", "leave it out"});
  if (training.recompute != Recompute::full)
    idle.push_back({"recompute_stops_early",
                    fmt::format("recompute is {}", name_of(training.recompute)),
                    "write recompute: full, or leave it out"});
  if (training.tensor == 1)
    idle.push_back({"overlap_gradient_sums", "no tensor-parallel ranks sum gradients",
                    "give tensor: 2 or more, or leave it out"});
  if (training.pipeline == 1 || training.data == 1)
    idle.push_back({"order", "only of a pipeline with several replicas is there another order",
                    "leave it out"});
  add_idle_settings_of_context(idle, training);
  add_idle_settings_of_experts(idle, training.experts, model);
  return idle;
}

}  // namespace orrery
