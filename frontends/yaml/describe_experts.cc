#include "frontends/yaml/describe_experts.h"

#include <fmt/format.h>

#include <sstream>
#include <variant>
#include <vector>

#include "core/base/io_error.h"
#include "frontends/yaml/describe_transformer.h"

namespace orrery::yaml {

std::string_view name_of(ExpertDispatch dispatch) {
  return dispatch == ExpertDispatch::direct ? "direct" : "by_node";
}

void check_experts(Reader& experts, const ExpertsSpec& spec, const TransformerSpec& model) {
  if (!experts.clean() || spec.count == 0) return;
  if (spec.top_k < 1 || spec.top_k > spec.count)
    experts.wrong("top_k",
                  fmt::format("a token cannot go to {} of {} experts", spec.top_k, spec.count),
                  "choose from 1 to count");
  else if (spec.group_limit > spec.groups ||
           spec.top_k * spec.groups > spec.group_limit * spec.count)
    experts.wrong(
        "group_limit",
        fmt::format("{} experts from {} of {} groups", spec.top_k, spec.group_limit, spec.groups),
        "choose at most groups, and enough for top_k experts");
  divides(experts, "groups", spec.groups, spec.count, "experts");
  if (model.layers > 0 && spec.first_dense >= model.layers)
    experts.wrong("first_dense", fmt::format("all {} layers are dense", model.layers),
                  "choose fewer than layers");
}

void read_expert_trace(Reader& load, const std::string& path, std::int64_t experts,
                       ExpertLoadSpec& spec) {
  std::istringstream stream;
  try {
    stream.str(load.contents("file", path));
  } catch (const IoError& error) {
    return load.wrong("file", error.what(), "the path is relative to the file that names it");
  }
  int number = 0;
  const auto wrong = [&](std::string what, std::string remedy) {
    load.wrong("file", fmt::format("{}:{}: {}", path, number, what), std::move(remedy));
  };
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    std::vector<double>& row = spec.weights.emplace_back();
    double sum = 0;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) {
      const std::size_t begin = cell.find_first_not_of(" \t");
      if (begin != std::string::npos)
        cell = cell.substr(begin, cell.find_last_not_of(" \t") - begin + 1);
      const FromText<double> value = ScalarType<double>::parse(cell);
      if (const auto* text = std::get_if<WrongText>(&value)) return wrong(text->what, text->remedy);
      row.push_back(std::get<double>(value));
      if (row.back() < 0) return wrong("a popularity below 0", "write shares or counts of tokens");
      sum += row.back();
    }
    if (static_cast<std::int64_t>(row.size()) != experts)
      return wrong(fmt::format("{} numbers for {} experts", row.size(), experts),
                   "a line has one for each expert");
    if (sum <= 0) return wrong("no expert is popular", "one number at least must be above 0");
  }
  if (spec.weights.empty())
    load.wrong("file", path + " has no lines", "a line has the popularity of each expert");
}

void check_expert_load(Reader& load, const ExpertLoadSpec& spec) {
  const auto only = [&](std::string_view key, ExpertLoad kind) {
    if (load.given(key) && spec.kind != kind)
      load.wrong(key, fmt::format("{} has no {}", orrery::name_of(spec.kind), key),
                 fmt::format("write kind: {}, or leave it out", orrery::name_of(kind)));
  };
  only("alpha", ExpertLoad::zipf);
  only("concentration", ExpertLoad::dirichlet);
  only("file", ExpertLoad::trace);
  if (spec.kind == ExpertLoad::trace && !load.given("file"))
    load.wrong_map("a trace has a file", "write file: popularity.csv");
  const bool is_even = spec.kind == ExpertLoad::uniform || spec.kind == ExpertLoad::multinomial;
  const bool drawn = spec.kind == ExpertLoad::zipf || spec.kind == ExpertLoad::dirichlet;
  if (load.given("redraw") && !drawn)
    load.wrong("redraw", fmt::format("{} draws no popularity", orrery::name_of(spec.kind)),
               "leave it out");
  if (load.given("persistence") && is_even)
    load.wrong("persistence", fmt::format("{} has no skew", orrery::name_of(spec.kind)),
               "leave it out");
}

namespace {

void check_unused(Reader& reader, const ExpertTraining& spec, const TransformerSpec& model) {
  const auto needless = [&](std::string_view key, bool useless, std::string why) {
    if (reader.given(key) && useless) reader.wrong(key, std::move(why), "leave it out");
  };
  const bool alone = spec.parallel == 1;
  needless("dispatch", alone, "every rank has all experts: nothing is dispatched");
  needless("fp8_dispatch", alone, "every rank has all experts: nothing is dispatched");
  needless("expert_load", alone && spec.load.kind != ExpertLoad::uniform,
           "every rank has all experts: it does the same work whatever tokens choose");
  needless("expert_load", spec.load.kind != ExpertLoad::uniform && !alone && !spec.is_drawn(),
           "padded to the capacity, all experts do the same work");
  needless("capacity_mode", spec.capacity == 0, "without expert_capacity nothing is limited");
  needless("overlap_shared_experts", model.experts.shared == 0, "the model has no shared experts");
}

// As Megatron-LM's overlap_moe_expert_parallel_comm. Shared experts are then not beside the
// journeys of their own micro-batch, unless the file says so.
void check_overlap(Reader& reader, TransformerTraining& spec) {
  ExpertTraining& experts = spec.experts;
  if (!experts.overlap_batches) return;
  const auto refuse = [&](std::string why, std::string remedy) {
    reader.wrong("overlap_experts", std::move(why), std::move(remedy));
  };
  const bool dual =
      spec.schedule == PipelineSchedule::dualpipe || spec.schedule == PipelineSchedule::dualpipe_v;
  if (experts.parallel == 1)
    refuse("every rank has all experts: nothing is exchanged", "leave it out");
  else if (dual)
    refuse(fmt::format("{} always does that", orrery::name_of(spec.schedule)), "leave it out");
  else if (spec.pipeline > 1 && spec.schedule != PipelineSchedule::interleaved)
    refuse(fmt::format("in {} a micro-batch goes back before another is there (Megatron-LM refuses "
                       "it)",
                       orrery::name_of(spec.schedule)),
           "write schedule: interleaved, dualpipe or dualpipe-v");
  else if (spec.pipeline == 1 && spec.schedule != PipelineSchedule::one_forward_one_backward &&
           spec.schedule != PipelineSchedule::interleaved)
    refuse(fmt::format("{} has an order of its own", orrery::name_of(spec.schedule)),
           "write schedule: 1f1b");
  if (spec.sharding == Sharding::zero3)
    refuse("two passes at once would gather and free the same layers",
           "write sharding: zero1, or zero3 with schedule: dualpipe-v");
  if (spec.recompute == Recompute::full)
    refuse(
        "a layer that is done again exchanges in the middle of its backward pass (Megatron-LM "
        "refuses it)",
        "write recompute: none or selective");
  if (reader.given("overlap_shared_experts") && experts.overlap_shared)
    refuse("shared experts cannot be beside the same exchanges (Megatron-LM refuses it)",
           "write overlap_shared_experts: false");
  experts.overlap_shared = false;
}

void check_nodes(Reader& reader, ExpertTraining& spec, const TransformerSpec& model,
                 const PlatformFacts& platform) {
  const std::int32_t size = node_size(platform), ranks = spec.parallel * spec.tensor;
  const bool fits = size > 1 && ranks > size && ranks % size == 0 && size % spec.tensor == 0 &&
                    model.experts.count % (ranks / size) == 0;
  if (!fits)
    return reader.wrong("dispatch",
                        fmt::format("expert x expert_tensor = {} ranks do not fill several nodes "
                                    "of {}",
                                    ranks, size),
                        "write dispatch: direct, or a multiple of the node size");
  spec.node_ranks = size;
}

}  // namespace

void check_expert_training(Reader& training, TransformerTraining& spec,
                           const TransformerSpec& model, const PlatformFacts& platform,
                           bool by_node) {
  ExpertTraining& experts = spec.experts;
  if (model.experts.count == 0) {
    for (const std::string_view key :
         {"expert", "expert_tensor", "dispatch", "fp8_dispatch", "expert_capacity", "capacity_mode",
          "overlap_shared_experts", "overlap_experts", "expert_load"})
      if (training.given(key))
        training.wrong(key, "the model has no experts",
                       "give transformer.experts, or leave it out");
    return;
  }
  divides(training, "expert", experts.parallel, model.experts.count, "experts of a layer");
  divides(training, "expert_tensor", experts.tensor, model.expert_width(), "columns of an expert");
  divides(training, "tensor", spec.tensor, model.shared_width(), "columns of the shared experts");
  const std::int64_t sharing = std::int64_t{experts.parallel} * experts.tensor;
  const std::int64_t stage = std::int64_t{spec.tensor} * spec.context * spec.data;
  if (stage % sharing != 0)
    training.wrong(
        "expert",
        fmt::format("expert x expert_tensor = {} does not divide the {} ranks of a stage, "
                    "tensor x context x data",
                    sharing, stage),
        "choose a divisor of them");
  if (spec.tensor > 1 && !spec.sequence_parallel)
    training.wrong("tensor",
                   "experts want the tokens of tensor-parallel ranks apart (Megatron-LM refuses "
                   "it without)",
                   "write sequence_parallel: true");
  if (spec.order == RankOrder::tensor_pipeline_data && spec.pipeline > 1 &&
      sharing != std::int64_t{spec.tensor} * spec.context)
    training.wrong("order",
                   fmt::format("with data-parallel ranks outside, expert x expert_tensor = {} must "
                               "be tensor x context = {}, or the stages of attention and experts "
                               "differ",
                               sharing, spec.tensor * spec.context),
                   "write order: tp-cp-ep-dp-pp");
  if (spec.shard_group > 0)
    training.wrong("shard_group", "the experts are not copied with the rest of the model",
                   "leave it out");
  check_unused(training, experts, model);
  check_overlap(training, spec);
  if (by_node && experts.parallel > 1 && platform.known)
    check_nodes(training, experts, model, platform);
}

namespace {

// All-to-alls in groups of `inner` cut the heads, a ring over c / inner of these the tokens.
void check_context_inner(Reader& training, const TransformerTraining& spec) {
  const std::int32_t inner = spec.context_inner, c = spec.context;
  if (spec.context_method != ContextMethod::ulysses_ring) {
    if (training.given("context_inner"))
      training.wrong("context_inner",
                     fmt::format("{} has one level", orrery::name_of(spec.context_method)),
                     "write context_method: ulysses_ring, or leave it out");
  } else if (inner == 1 || inner >= c || c % inner != 0) {
    training.wrong(training.given("context_inner") ? "context_inner" : "context_method",
                   fmt::format("groups of {} among {} ranks that share a sequence", inner, c),
                   "give context_inner: a divisor of context between 1 and context, such as the "
                   "ranks of a node");
  }
}

// Ranks that share a sequence and have a part of the heads each.
std::int32_t ranks_of_heads(const TransformerTraining& spec) {
  if (spec.context_method == ContextMethod::ulysses) return spec.context;
  return spec.context_method == ContextMethod::ulysses_ring ? spec.context_inner : 1;
}

}  // namespace

void check_context(Reader& training, const TransformerTraining& spec,
                   const TransformerSpec& model) {
  if (spec.context == 1) {
    for (const std::string_view key : {"context_method", "context_inner"})
      if (training.given(key))
        training.wrong(key, "no ranks share a sequence",
                       "give context: 2 or more, or leave it out");
    return;
  }
  check_context_inner(training, spec);
  const bool ring = spec.context_method == ContextMethod::ring ||
                    spec.context_method == ContextMethod::ulysses_ring;
  if (ring && model.attention == AttentionKernel::unfused)
    training.wrong("context_method", "unfused attention has no blocks that a ring could bring",
                   "write context_method: all_gather or ulysses, or attention: flash");
  const bool in_two = model.causal_kernel && spec.context_method != ContextMethod::ulysses;
  const std::int64_t parts = spec.context * (in_two ? 2 : 1);
  if (model.sequence % parts != 0)
    training.wrong("context",
                   fmt::format("{} tokens are not cut into {} parts{}", model.sequence, parts,
                               in_two ? ", two for each rank so that causal work is equal" : ""),
                   fmt::format("choose a sequence that is a multiple of {}", parts));
  const std::int32_t with_heads = ranks_of_heads(spec);
  const std::int64_t shared = std::int64_t{spec.tensor} * with_heads;
  if (with_heads > 1 && (model.heads % shared != 0 || model.key_heads() % shared != 0))
    training.wrong("context_method",
                   fmt::format("tensor x {} = {} must divide the {} heads and {} key heads",
                               with_heads == spec.context ? "context" : "context_inner", shared,
                               model.heads, model.key_heads()),
                   "write context_method: ring or all_gather");
  if (spec.shard_group > 0 && spec.shard_group % spec.context != 0 &&
      spec.context % spec.shard_group != 0)
    training.wrong("shard_group",
                   fmt::format("{} neither divides nor is a multiple of context = {}",
                               spec.shard_group, spec.context),
                   "choose a multiple of context");
}

}  // namespace orrery::yaml
