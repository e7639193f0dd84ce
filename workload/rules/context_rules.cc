// How ranks share sequences.
#include <fmt/format.h>

#include "workload/rules/training_rules.h"

namespace orrery {

namespace {

// All-to-alls in groups of `inner` cut the heads, a ring over c / inner of these the tokens.
void check_inner(SpecProblems& problems, const TransformerTraining& spec) {
  const std::int32_t inner = spec.context_inner, c = spec.context;
  if (spec.context_method != ContextMethod::ulysses_ring) return;
  if (inner > 1 && inner < c && c % inner == 0) return;
  problems.push_back({inner > 1 ? "context_inner" : "context_method",
                      fmt::format("groups of {} among {} ranks that share a sequence", inner, c),
                      "give context_inner: a divisor of context between 1 and context, such as "
                      "the ranks of a node"});
}

// Ranks that share a sequence and have a part of the heads each.
std::int32_t ranks_of_heads(const TransformerTraining& spec) {
  if (spec.context_method == ContextMethod::ulysses) return spec.context;
  return spec.context_method == ContextMethod::ulysses_ring ? spec.context_inner : 1;
}

void check_tokens(SpecProblems& problems, const TransformerTraining& spec,
                  const TransformerSpec& model) {
  const bool in_two = model.causal_kernel && spec.context_method != ContextMethod::ulysses;
  const std::int64_t parts = std::int64_t{spec.context} * (in_two ? 2 : 1);
  if (model.sequence % parts == 0) return;
  problems.push_back(
      {"context",
       fmt::format("{} tokens do not divide into {} equal parts{}", model.sequence, parts,
                   in_two ? ", two for each rank, which make causal work equal" : ""),
       fmt::format("choose a sequence that is a multiple of {}", parts)});
}

}  // namespace

void check_context(SpecProblems& problems, const TransformerTraining& spec,
                   const TransformerSpec& model) {
  if (spec.context == 1) return;
  check_inner(problems, spec);
  const bool ring = spec.context_method == ContextMethod::ring ||
                    spec.context_method == ContextMethod::pytorch ||
                    spec.context_method == ContextMethod::ulysses_ring;
  if (ring && model.has_all_scores())
    problems.push_back({"context_method", "unfused attention has no blocks that a ring could bring",
                        "write context_method: all_gather or ulysses, or attention: flash"});
  if (ring && model.window > 0 && model.window < model.sequence)
    problems.push_back({"context_method",
                        "in a window the blocks that go round a ring are not equal work",
                        "write context_method: all_gather or ulysses"});
  check_tokens(problems, spec, model);
  const std::int32_t with_heads = ranks_of_heads(spec);
  const std::int64_t shared = std::int64_t{spec.tensor} * with_heads;
  if (with_heads > 1 && (model.heads % shared != 0 || model.key_heads() % shared != 0))
    problems.push_back({"context_method",
                        fmt::format("tensor x {} = {} must divide the {} heads and {} key heads",
                                    with_heads == spec.context ? "context" : "context_inner",
                                    shared, model.heads, model.key_heads()),
                        "write context_method: ring or all_gather"});
  if (spec.shard_group > 0 && spec.shard_group % spec.context != 0 &&
      spec.context % spec.shard_group != 0)
    problems.push_back({"shard_group",
                        fmt::format("{} neither divides nor is a multiple of context = {}",
                                    spec.shard_group, spec.context),
                        "choose a multiple of context"});
}

void add_idle_settings_of_context(SpecProblems& idle, const TransformerTraining& spec) {
  if (spec.context == 1)
    for (const char* key : {"context_method", "context_inner"})
      idle.push_back(
          {key, "no ranks share a sequence", "give context: 2 or more, or leave it out"});
  else if (spec.context_method != ContextMethod::ulysses_ring)
    idle.push_back({"context_inner", fmt::format("{} has one level", name_of(spec.context_method)),
                    "write context_method: ulysses_ring, or leave it out"});
}

}  // namespace orrery
