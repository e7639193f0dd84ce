// How the experts of a model are spread, and how evenly tokens choose them.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "workload/rules/training_rules.h"

namespace orrery {

namespace {

constexpr const char* nothing_dispatched = "every rank has all experts: nothing is dispatched";

// As Megatron-LM's overlap_moe_expert_parallel_comm.
void check_overlap(SpecProblems& problems, const TransformerTraining& spec,
                   const TransformerSpec& model) {
  const ExpertTraining& experts = spec.experts;
  if (!experts.overlap_batches) return;
  const auto refuse = [&](std::string why, std::string remedy) {
    problems.push_back({"overlap_experts", std::move(why), std::move(remedy)});
  };
  const bool dual =
      spec.schedule == PipelineSchedule::dualpipe || spec.schedule == PipelineSchedule::dualpipe_v;
  if (experts.parallel == 1)
    refuse("every rank has all experts: nothing is exchanged", "leave it out");
  else if (dual)
    refuse(fmt::format("{} always does that", name_of(spec.schedule)), "leave it out");
  else if (spec.pipeline > 1 && spec.schedule != PipelineSchedule::interleaved)
    refuse(fmt::format("in {} a micro-batch goes back before another is there (Megatron-LM refuses "
                       "it)",
                       name_of(spec.schedule)),
           "write schedule: interleaved, dualpipe or dualpipe-v");
  else if (spec.pipeline == 1 && spec.schedule != PipelineSchedule::one_forward_one_backward &&
           spec.schedule != PipelineSchedule::interleaved)
    refuse(fmt::format("{} has an order of its own", name_of(spec.schedule)),
           "write schedule: 1f1b");
  if (spec.sharding == Sharding::zero3)
    refuse("two passes at once would gather and free the same layers",
           "write sharding: zero1, or zero3 with schedule: dualpipe-v");
  if (spec.recompute == Recompute::full)
    refuse(
        "a layer that is done again exchanges in the middle of its backward pass (Megatron-LM "
        "refuses it)",
        "write recompute: none or selective");
  if (experts.overlap_shared && model.experts.shared > 0)
    refuse("shared experts cannot be beside the same exchanges (Megatron-LM refuses it)",
           "write overlap_shared_experts: false");
}

void check_nodes(SpecProblems& problems, const ExpertTraining& spec, const TransformerSpec& model) {
  const std::int32_t size = spec.node_ranks;
  if (size == 0) return;
  if (spec.parallel == 1)
    return problems.push_back({"dispatch", nothing_dispatched, "leave it out"});
  const std::int64_t ranks = std::int64_t{spec.parallel} * spec.tensor;
  const bool fits = size > 1 && ranks > size && ranks % size == 0 && size % spec.tensor == 0 &&
                    model.experts.count % (ranks / size) == 0;
  if (!fits)
    problems.push_back({"dispatch",
                        fmt::format("expert x expert_tensor = {} ranks do not fill several nodes "
                                    "of {}",
                                    ranks, size),
                        "write dispatch: direct, or a multiple of the node size"});
}

void check_groups(SpecProblems& problems, const TransformerTraining& spec,
                  const TransformerSpec& model) {
  const std::int64_t sharing = std::int64_t{spec.experts.parallel} * spec.experts.tensor;
  const std::int64_t stage = std::int64_t{spec.tensor} * spec.context * spec.data;
  // Sizes that do not divide what they cut are told already: one mistake, one message.
  const bool are_divisors = model.experts.count % spec.experts.parallel == 0 &&
                            model.expert_width() % spec.experts.tensor == 0;
  if (are_divisors && stage % sharing != 0)
    problems.push_back(
        {"expert",
         fmt::format("expert x expert_tensor = {} does not divide the {} ranks of a stage, "
                     "tensor x context x data",
                     sharing, stage),
         "choose a divisor of them"});
  if (spec.tensor > 1 && !spec.sequence_parallel)
    problems.push_back({"tensor",
                        "experts want the tokens of tensor-parallel ranks apart (Megatron-LM "
                        "refuses it without)",
                        "write sequence_parallel: true"});
  if (spec.order == RankOrder::tensor_pipeline_data && spec.pipeline > 1 &&
      sharing != std::int64_t{spec.tensor} * spec.context)
    problems.push_back({"order",
                        fmt::format("with data-parallel ranks outside, expert x expert_tensor = {} "
                                    "must be tensor x context = {}, or the stages of attention and "
                                    "experts differ",
                                    sharing, spec.tensor * spec.context),
                        "write order: tp-cp-ep-dp-pp"});
  if (spec.shard_group > 0)
    problems.push_back(
        {"shard_group", "the experts are not copied with the rest of the model", "leave it out"});
}

}  // namespace

void check_expert_training(SpecProblems& problems, const TransformerTraining& spec,
                           const TransformerSpec& model) {
  const ExpertTraining& experts = spec.experts;
  if (model.experts.count == 0) {
    for (const auto& [key, ranks] :
         {std::pair{"expert", experts.parallel}, {"expert_tensor", experts.tensor}})
      if (ranks > 1)
        problems.push_back(
            {key, "the model has no experts", "give transformer.experts, or leave it out"});
    return;
  }
  check_divides(problems, "expert", experts.parallel, model.experts.count, "experts of a layer");
  check_divides(problems, "expert_tensor", experts.tensor, model.expert_width(),
                "columns of an expert");
  check_divides(problems, "tensor", spec.tensor, model.shared_width(),
                "columns of the shared experts");
  check_groups(problems, spec, model);
  check_overlap(problems, spec, model);
  check_nodes(problems, experts, model);
}

void add_idle_settings_of_experts(SpecProblems& idle, const ExpertTraining& spec,
                                  const TransformerSpec& model) {
  if (model.experts.count == 0) {
    for (const char* key :
         {"expert", "expert_tensor", "dispatch", "fp8_dispatch", "expert_capacity", "capacity_mode",
          "overlap_shared_experts", "overlap_experts", "expert_load"})
      idle.push_back(
          {key, "the model has no experts", "give transformer.experts, or leave it out"});
    return;
  }
  const auto add = [&](const char* key, const char* why) {
    idle.push_back({key, why, "leave it out"});
  };
  const bool alone = spec.parallel == 1, skewed = spec.load.kind != ExpertLoad::uniform;
  if (alone) {
    add("dispatch", nothing_dispatched);
    add("fp8_dispatch", nothing_dispatched);
  }
  if (alone && skewed)
    add("expert_load", "every rank has all experts: it does the same work whatever tokens choose");
  if (skewed && !alone && !spec.is_drawn())
    add("expert_load", "padded to the capacity, all experts do the same work");
  if (spec.capacity == 0) add("capacity_mode", "without expert_capacity nothing is limited");
  if (model.experts.shared == 0) add("overlap_shared_experts", "the model has no shared experts");
}

SpecProblems problems_of(const ExpertLoadSpec& load, std::int64_t experts) {
  SpecProblems problems;
  if (load.kind != ExpertLoad::trace) return problems;
  if (load.weights.empty())
    problems.push_back({"", "a trace has a file", "write file: popularity.csv"});
  for (const std::vector<double>& row : load.weights) {
    const bool fits = static_cast<std::int64_t>(row.size()) == experts;
    const bool good = fits && std::ranges::all_of(row, [](double part) { return part >= 0; }) &&
                      std::ranges::any_of(row, [](double part) { return part > 0; });
    if (good) continue;
    problems.push_back({"file", "a line is no popularity of each expert",
                        "a line has a number for each expert, one of them above 0"});
    break;
  }
  return problems;
}

SpecProblems idle_settings(const ExpertLoadSpec& load) {
  SpecProblems idle;
  for (const auto& [key, kind] : {std::pair{"alpha", ExpertLoad::zipf},
                                  {"concentration", ExpertLoad::dirichlet},
                                  {"file", ExpertLoad::trace}})
    if (load.kind != kind)
      idle.push_back({key, fmt::format("{} has no {}", name_of(load.kind), key),
                      fmt::format("write kind: {}, or leave it out", name_of(kind))});
  const bool is_even = load.kind == ExpertLoad::uniform || load.kind == ExpertLoad::multinomial;
  if (load.kind != ExpertLoad::zipf && load.kind != ExpertLoad::dirichlet)
    idle.push_back(
        {"redraw", fmt::format("{} draws no popularity", name_of(load.kind)), "leave it out"});
  if (is_even)
    idle.push_back(
        {"persistence", fmt::format("{} has no skew", name_of(load.kind)), "leave it out"});
  return idle;
}

}  // namespace orrery
