// What each order of micro-batches in a pipeline needs.
#include <fmt/format.h>

#include <string>

#include "workload/rules/training_rules.h"

namespace orrery {

namespace {

void check_interleaving(SpecProblems& problems, const TransformerTraining& spec,
                        const std::string& batches) {
  const std::int32_t p = spec.pipeline, m = spec.micro_batches();
  const bool interleaved = spec.schedule == PipelineSchedule::interleaved;
  if (!interleaved && spec.chunks > 1)
    problems.push_back({"chunks",
                        fmt::format("the {} schedule has {}", name_of(spec.schedule),
                                    spec.stage_chunks() == 2 ? "always two chunks" : "one chunk"),
                        "write schedule: interleaved, or leave chunks out"});
  if (interleaved && spec.chunks < 2)
    problems.push_back({"schedule", "with one chunk, interleaved is 1f1b",
                        "give chunks: 2 or more, or write schedule: 1f1b"});
  if (!interleaved && spec.micro_batch_group > 0)
    problems.push_back({"micro_batch_group",
                        "only the interleaved schedule takes micro-batches in groups",
                        "write schedule: interleaved, or leave it out"});
  const std::int32_t group = spec.micro_batch_group > 0 ? spec.micro_batch_group : p;
  if (interleaved && group < p)
    problems.push_back({"micro_batch_group", fmt::format("{} for {} stages", group, p),
                        "a group fills the pipeline: write as many as there are stages, or more"});
  if (interleaved && group >= p && m % group > 0 && m % group < p)
    problems.push_back(
        {"global_batch", fmt::format("{}, {} at a time", batches, group),
         fmt::format("the interleaved schedule takes them in groups, and the last group must fill "
                     "the pipeline too: write global_batch: {}, another micro_batch_group, or "
                     "schedule: 1f1b without chunks",
                     spec.global_batch / m * ((m + group - 1) / group) * group)});
}

void check_dualpipe(SpecProblems& problems, const TransformerTraining& spec,
                    const std::string& batches) {
  const std::int32_t p = spec.pipeline, m = spec.micro_batches();
  const bool dual = spec.schedule == PipelineSchedule::dualpipe;
  if (dual && p % 2 != 0)
    problems.push_back(
        {"pipeline", fmt::format("{} stages from both ends", p), "write an even number"});
  if (dual && m % 2 != 0)
    problems.push_back(
        {"global_batch", batches + " from both ends", "choose an even number of them"});
  if ((dual || spec.schedule == PipelineSchedule::dualpipe_v) && m < 2 * p)
    problems.push_back({"global_batch", batches,
                        fmt::format("{} needs two for each stage", name_of(spec.schedule))});
  if (dual && spec.sharding != Sharding::none && spec.sharding != Sharding::zero1)
    problems.push_back({"sharding",
                        "two stages of dualpipe have the same parameters at other times",
                        "write sharding: none or zero1, or schedule: dualpipe-v"});
  if (dual && (spec.shard_group > 0 || spec.overlap_parameters))
    problems.push_back({spec.shard_group > 0 ? "shard_group" : "overlap_parameters",
                        "two stages of dualpipe share their parameters", "leave it out"});
}

void check_options(SpecProblems& problems, const TransformerTraining& spec) {
  const bool zero_bubble = spec.schedule == PipelineSchedule::zb_h1 ||
                           spec.schedule == PipelineSchedule::zb_h2 ||
                           spec.schedule == PipelineSchedule::zbv;
  if (spec.post_validation && !zero_bubble)
    problems.push_back(
        {"post_validation",
         fmt::format("{} waits for the norm of all gradients", name_of(spec.schedule)),
         "write schedule: zb-h1, zb-h2 or zbv, or leave it out"});
  if (spec.schedule == PipelineSchedule::one_forward_one_backward &&
      spec.overlap_p2p.value_or(false))
    problems.push_back({"overlap_p2p",
                        "in 1f1b a stage sends and receives at once and waits for both "
                        "(Megatron-LM refuses it)",
                        "write schedule: interleaved, or leave it out"});
  if (spec.overlap_p2p && spec.pipeline == 1)
    problems.push_back({"overlap_p2p", "there is no pipeline", "leave it out"});
  if (spec.ends_take_a_layer && spec.pipeline == 1)
    problems.push_back({"embedding_and_loss_take_a_layer", "there is no pipeline", "leave it out"});
  if (spec.scatter_gather && (spec.sequence_parallel || spec.tensor == 1 || spec.pipeline == 1))
    problems.push_back({"scatter_gather",
                        spec.sequence_parallel ? "with sequence_parallel stages send parts already"
                                               : "it needs tensor parallelism and a pipeline",
                        "leave it out"});
  if (spec.recompute_layers && spec.recompute != Recompute::full)
    problems.push_back({"recompute_layers", fmt::format("recompute is {}", name_of(spec.recompute)),
                        "write recompute: full, or leave it out"});
}

// Megatron-LM puts them off in its own two schedules.
void check_deferral(SpecProblems& problems, const TransformerTraining& spec) {
  const bool known = spec.schedule == PipelineSchedule::one_forward_one_backward ||
                     spec.schedule == PipelineSchedule::interleaved;
  if (!spec.defer_head_gradients || (spec.pipeline > 1 && known)) return;
  problems.push_back(
      {"defer_head_gradients",
       spec.pipeline == 1
           ? "without a pipeline no stage has time left (Megatron-LM refuses it)"
           : fmt::format("{} has an order of its own for weight gradients", name_of(spec.schedule)),
       "leave it out"});
}

}  // namespace

void check_pipeline(SpecProblems& problems, const TransformerTraining& spec) {
  const std::string batches = fmt::format("{} micro-batches in a pipeline of {} stages",
                                          spec.micro_batches(), spec.pipeline);
  check_interleaving(problems, spec, batches);
  check_dualpipe(problems, spec, batches);
  check_options(problems, spec);
  check_deferral(problems, spec);
}

}  // namespace orrery
