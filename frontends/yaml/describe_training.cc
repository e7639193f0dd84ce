#include "frontends/yaml/describe_training.h"

#include <fmt/format.h>

#include <limits>

#include "core/base/memory_limit.h"
#include "frontends/yaml/describe_transformer.h"
#include "system/operation_source.h"
#include "workload/operation_counts.h"

namespace orrery::yaml {

namespace {

// t * p * d = ranks; d may be left out.
void check_ranks(Reader& reader, TransformerTraining& spec, const PlatformFacts& platform) {
  if (!platform.known) return;
  const std::int64_t model_parallel = std::int64_t{spec.tensor} * spec.context * spec.pipeline;
  // "tensor x pipeline", "2 x 4": without context parallelism it is not named.
  const bool shared = spec.context > 1;
  const std::string names = shared ? "tensor x context x pipeline" : "tensor x pipeline";
  const std::string sizes =
      shared ? fmt::format("{} x {} x {}", spec.tensor, spec.context, spec.pipeline)
             : fmt::format("{} x {}", spec.tensor, spec.pipeline);
  if (platform.npus % model_parallel != 0)
    return reader.wrong(
        spec.pipeline > 1 ? "pipeline"
        : shared          ? "context"
                          : "tensor",
        fmt::format("{} = {} does not divide the {} NPUs", names, model_parallel, platform.npus),
        fmt::format("choose sizes whose product divides {}", platform.npus));
  const auto room = static_cast<std::int32_t>(platform.npus / model_parallel);
  if (spec.data == 0) spec.data = room;
  if (spec.data != room)
    reader.wrong("data",
                 fmt::format("{} x data = {} x {} = {}, but the platform has {} NPUs", names, sizes,
                             spec.data, model_parallel * spec.data, platform.npus),
                 fmt::format("write data: {}, or leave it out", room));
}

void check_batches(Reader& reader, const TransformerTraining& spec) {
  const std::int64_t at_once = spec.micro_batch * spec.data;
  if (spec.global_batch % at_once != 0)
    return reader.wrong("global_batch",
                        fmt::format("{} samples are not a multiple of micro_batch x data = {} x {}",
                                    spec.global_batch, spec.micro_batch, spec.data),
                        fmt::format("write a multiple of {}, for example {}", at_once,
                                    (spec.global_batch / at_once + 1) * at_once));
}

// What one operation computes and sends stays below 2^63, and so does the number of operations,
// all of which are written down before the simulation begins.
void check_sizes(Reader& reader, const TransformerTraining& spec, const TransformerSpec& model) {
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  const double tokens = real(spec.micro_batch) * real(model.sequence);
  const double width = real(model.hidden) + real(model.mlp_width()) + real(model.query_width());
  const double of_experts = real(model.experts.top_k) * real(model.expert_width());
  const double inner = width + of_experts;
  constexpr double most = 4.6e18;  // half of 2^63
  if (8 * tokens * inner * (inner + real(model.vocabulary) + real(model.sequence)) > most)
    return reader.wrong("micro_batch",
                        fmt::format("{} samples of {} tokens make an operation of more than 4.6e18 "
                                    "FLOP or bytes",
                                    spec.micro_batch, model.sequence),
                        "take fewer samples at a time");
  const std::int64_t batches = spec.global_batch / (spec.micro_batch * spec.data);
  if (batches > std::numeric_limits<std::int32_t>::max())
    return reader.wrong("global_batch", fmt::format("{} micro-batches", batches),
                        "take a smaller batch, or a larger micro_batch");
  const double needed = operations_at_least(TransformerWorkload{model, spec}) * sizeof(Operation);
  if (const std::string why = why_no_memory(needed); !why.empty())
    reader.wrong("global_batch",
                 fmt::format("{} micro-batches of {} layers {}", batches, model.layers, why),
                 "take a smaller batch, or a larger micro_batch");
}

// What each order needs.
void check_schedule(Reader& reader, const TransformerTraining& spec) {
  const std::int32_t p = spec.pipeline, m = spec.micro_batches();
  const std::string batches = fmt::format("{} micro-batches in a pipeline of {} stages", m, p);
  const bool interleaved = spec.schedule == PipelineSchedule::interleaved;
  if (!interleaved && spec.chunks > 1)
    reader.wrong("chunks",
                 fmt::format("the {} schedule has {}", name_of(spec.schedule),
                             spec.stage_chunks() == 2 ? "always two chunks" : "one chunk"),
                 "write schedule: interleaved, or leave chunks out");
  if (interleaved && spec.chunks < 2)
    reader.wrong("schedule", "with one chunk, interleaved is 1f1b",
                 "give chunks: 2 or more, or write schedule: 1f1b");
  if (!interleaved && spec.micro_batch_group > 0)
    reader.wrong("micro_batch_group", "only the interleaved schedule takes micro-batches in groups",
                 "write schedule: interleaved, or leave it out");
  const std::int32_t group = spec.micro_batch_group > 0 ? spec.micro_batch_group : p;
  if (interleaved && group < p)
    reader.wrong("micro_batch_group", fmt::format("{} for {} stages", group, p),
                 "a group fills the pipeline: write as many as there are stages, or more");
  if (interleaved && group >= p && m % group > 0 && m % group < p)
    reader.wrong("global_batch", fmt::format("{}, {} at a time", batches, group),
                 "the interleaved schedule takes them in groups, the last of which fills the "
                 "pipeline too: choose a multiple, or another micro_batch_group");
  const bool dual = spec.schedule == PipelineSchedule::dualpipe;
  if (dual && p % 2 != 0)
    reader.wrong("pipeline", fmt::format("{} stages from both ends", p), "write an even number");
  if (dual && m % 2 != 0)
    reader.wrong("global_batch", batches + " from both ends", "choose an even number of them");
  if ((dual || spec.schedule == PipelineSchedule::dualpipe_v) && m < 2 * p)
    reader.wrong("global_batch", batches,
                 fmt::format("{} needs two for each stage", name_of(spec.schedule)));
  if (dual && spec.sharding != Sharding::none && spec.sharding != Sharding::zero1)
    reader.wrong("sharding", "two stages of dualpipe have the same parameters at other times",
                 "write sharding: none or zero1, or schedule: dualpipe-v");
  if (dual && (spec.shard_group > 0 || spec.overlap_parameters))
    reader.wrong(spec.shard_group > 0 ? "shard_group" : "overlap_parameters",
                 "two stages of dualpipe share their parameters", "leave it out");
}

void check_pipeline_options(Reader& reader, const TransformerTraining& spec) {
  const bool zero_bubble = spec.schedule == PipelineSchedule::zb_h1 ||
                           spec.schedule == PipelineSchedule::zb_h2 ||
                           spec.schedule == PipelineSchedule::zbv;
  if (spec.post_validation && !zero_bubble)
    reader.wrong("post_validation",
                 fmt::format("{} waits for the norm of all gradients", name_of(spec.schedule)),
                 "write schedule: zb-h1, zb-h2 or zbv, or leave it out");
  if (spec.schedule == PipelineSchedule::one_forward_one_backward &&
      spec.overlap_p2p.value_or(false))
    reader.wrong("overlap_p2p",
                 "in 1f1b a stage sends and receives at once and waits for both (Megatron-LM "
                 "refuses it)",
                 "write schedule: interleaved, or leave it out");
  if (spec.overlap_p2p && spec.pipeline == 1)
    reader.wrong("overlap_p2p", "there is no pipeline", "leave it out");
  if (spec.scatter_gather && (spec.sequence_parallel || spec.tensor == 1 || spec.pipeline == 1))
    reader.wrong("scatter_gather",
                 spec.sequence_parallel ? "with sequence_parallel stages send parts already"
                                        : "it takes tensor parallelism and a pipeline",
                 "leave it out");
  if (spec.recompute_layers && spec.recompute != Recompute::full)
    reader.wrong("recompute_layers", fmt::format("recompute is {}", name_of(spec.recompute)),
                 "write recompute: full, or leave it out");
}

// Megatron-LM puts them off in its own two schedules.
void check_deferral(Reader& reader, const TransformerTraining& spec) {
  const bool known = spec.schedule == PipelineSchedule::one_forward_one_backward ||
                     spec.schedule == PipelineSchedule::interleaved;
  if (spec.defer_head_gradients && (spec.pipeline == 1 || !known))
    reader.wrong("defer_head_gradients",
                 spec.pipeline == 1
                     ? "without a pipeline no stage has time left (Megatron-LM refuses it)"
                     : fmt::format("{} has an order of its own for weight gradients",
                                   name_of(spec.schedule)),
                 "leave it out");
  if (reader.given("deferral_limit") && !spec.defer_head_gradients)
    reader.wrong("deferral_limit", "nothing is put off",
                 "write defer_head_gradients: true, or leave it out");
}

// What ZeRO and FSDP are combined with, and what their settings mean something for.
void check_sharding(Reader& reader, const TransformerTraining& spec, const TransformerSpec& model) {
  const bool zero2 = spec.sharding == Sharding::zero2, zero3 = spec.sharding == Sharding::zero3;
  if (zero2 && spec.pipeline > 1)
    reader.wrong("sharding",
                 "zero2 reduces gradients with each micro-batch, a pipeline sums them first "
                 "(DeepSpeed refuses the two together)",
                 "write sharding: zero1, or zero3 as torchtitan does");
  const bool reduced = spec.accumulates() == Accumulation::reduced;
  if (zero3 && spec.pipeline > 1 && reduced)
    reader.wrong("accumulation",
                 "PyTorch's pipeline stages exchange gradients with the last micro-batch",
                 "write accumulation: local, or leave it out");
  if (zero3 && spec.pipeline > 1 && model.tied_embeddings)
    reader.wrong("sharding",
                 "the first and the last stage cannot shard one embedding (torchtitan refuses it)",
                 "write tied_embeddings: false in the transformer, or sharding: zero1");
  if (spec.sharding == Sharding::zero1 && reduced)
    reader.wrong("accumulation", "zero1 keeps gradients until the last micro-batch",
                 "write sharding: zero2, which reduces them with each");
  if (zero3 && spec.bucket)
    reader.wrong("bucket", "zero3 exchanges layer by layer", "leave bucket out");
  if (spec.shard_group > 0 && spec.replicas() % spec.shard_group != 0)
    reader.wrong("shard_group",
                 fmt::format("{} does not divide the {} data-parallel ranks", spec.shard_group,
                             spec.replicas()),
                 fmt::format("choose a divisor of {}", spec.replicas()));
}

// Settings that would change nothing.
void check_unused(Reader& reader, const TransformerTraining& spec, const TransformerSpec& model) {
  const bool none = spec.sharding == Sharding::none, zero3 = spec.sharding == Sharding::zero3;
  if (none && spec.shard_group > 0)
    reader.wrong("shard_group", "without sharding there is nothing to share",
                 "write sharding: zero1, zero2 or zero3, or leave it out");
  if (spec.overlap_parameters && (none || zero3))
    reader.wrong("overlap_parameters",
                 none ? "without sharding no parameters are gathered"
                      : "zero3 always gathers parameters beside its passes",
                 "leave it out");
  if (reader.given("prefetch") && !zero3 && !spec.overlap_parameters)
    reader.wrong("prefetch", "nothing is gathered ahead of its use",
                 "write sharding: zero3 or overlap_parameters: true, or leave it out");
  if (spec.fp8_parameters && (none || !model.eight_bit_products))
    reader.wrong("fp8_parameters",
                 none ? "without sharding no parameters are gathered"
                      : "products do not take them in 8 bits",
                 none ? "leave it out" : "write eight_bit_products: true in the transformer");
  if (reader.given("reshard_after_forward") && !zero3)
    reader.wrong("reshard_after_forward", "only zero3 frees parameters", "leave it out");
}

// Megatron-LM pads it to a multiple of 128 t.
void check_vocabulary(Reader& reader, const TransformerTraining& spec,
                      const TransformerSpec& model) {
  if (model.vocabulary % spec.tensor == 0) return;
  const std::int64_t step = std::int64_t{128} * spec.tensor;
  reader.wrong("tensor",
               fmt::format("{} does not divide the {} rows of the vocabulary", spec.tensor,
                           model.vocabulary),
               fmt::format("pad it, as Megatron-LM does: write vocabulary: {} in the transformer",
                           (model.vocabulary + step - 1) / step * step));
}

}  // namespace

bool has_its_sizes(const TransformerSpec& model) {
  return model.layers > 0 && model.hidden > 0 && model.heads > 0 && model.vocabulary > 0 &&
         model.sequence > 0;
}

void check_training(Reader& training, TransformerTraining& spec, const TransformerSpec& model,
                    const PlatformFacts& platform, bool by_node) {
  if (!training.clean()) return;
  check_ranks(training, spec, platform);
  if (!training.clean() || spec.data == 0) return;
  check_batches(training, spec);
  if (training.clean()) check_sizes(training, spec, model);
  if (!training.clean()) return;
  check_schedule(training, spec);
  check_pipeline_options(training, spec);
  check_deferral(training, spec);
  check_sharding(training, spec, model);
  check_unused(training, spec, model);
  divides(training, "tensor", spec.tensor, model.heads, "attention heads");
  if (spec.tensor % model.key_heads() != 0)
    divides(training, "tensor", spec.tensor, model.key_heads(), "key heads");
  divides(training, "tensor", spec.tensor, model.mlp_width(), "columns of the MLP");
  check_vocabulary(training, spec, model);
  if (spec.sequence_parallel)
    divides(training, "tensor", spec.tensor, spec.micro_batch * model.sequence / spec.context,
            "tokens");
  check_context(training, spec, model);
  check_expert_training(training, spec, model, platform, by_node);
  if (spec.sequence_parallel && spec.tensor == 1)
    training.wrong("sequence_parallel", "there is no tensor parallelism to add it to",
                   "give tensor: 2 or more, or leave it out");
  if (spec.overlap_tensor && !spec.sequence_parallel)
    training.wrong("overlap_tensor",
                   "it splits what sequence parallelism gathers and scatters (Megatron-LM and "
                   "PyTorch refuse it without)",
                   "write sequence_parallel: true, or leave it out");
  const bool dual = spec.schedule == PipelineSchedule::dualpipe;
  const std::int64_t parts = std::int64_t{spec.pipeline} * (dual ? 1 : spec.stage_chunks());
  if (model.layers + (spec.ends_take_a_layer ? 2 : 0) < parts)
    training.wrong("pipeline",
                   fmt::format("{} stages of {} chunks for {} layers", spec.pipeline,
                               dual ? 1 : spec.stage_chunks(), model.layers),
                   "each chunk needs a layer");
}

}  // namespace orrery::yaml
