// The shape of a transformer and of its experts.
#include <fmt/format.h>

#include "workload/rules/training_rules.h"

namespace orrery {

namespace {

// The largest product of the model: the operations of a whole iteration stay below 2^63.
bool sums_fit(const TransformerSpec& spec) {
  const auto real = [](std::int64_t value) { return static_cast<long double>(value); };
  const long double width = real(spec.hidden) + real(spec.mlp_width()) + real(spec.query_width());
  const long double matrices = width * width * 8 + width * real(spec.vocabulary);
  const long double of_experts =
      real(spec.experts.count) * real(spec.expert_width()) * real(spec.hidden) * 3;
  const long double tokens = real(spec.sequence) * (real(spec.sequence) + 1);
  constexpr long double most = 4.6e18L;  // half of 2^63
  return (matrices + of_experts) * real(spec.layers) < most && tokens * width * 10 < most;
}

}  // namespace

SpecProblems sizes_out_of_range(const TransformerSpec& spec) {
  SpecProblems problems;
  check_at_least(problems, "layers", spec.layers, 1);
  constexpr std::int32_t most_layers = 10'000;  // deeper ones were not trained; each is looked at
  if (spec.layers > most_layers)
    problems.push_back({"layers", fmt::format("{} is out of range", spec.layers),
                        fmt::format("it must be at most {}", most_layers)});
  check_at_least(problems, "hidden", spec.hidden, 1);
  check_at_least(problems, "heads", spec.heads, 1);
  check_at_least(problems, "head_dimension", spec.head_dimension, 0);
  check_at_least(problems, "key_value_heads", spec.key_value_heads, 0);
  check_at_least(problems, "feed_forward", spec.feed_forward, 0);
  check_at_least(problems, "vocabulary", spec.vocabulary, 1);
  check_at_least(problems, "sequence", spec.sequence, 1);
  if (spec.element < Bytes{1})
    problems.push_back({"data_type", "its elements have no size", "give `element`"});
  return problems;
}

SpecProblems problems_of(const ExpertsSpec& spec, const TransformerSpec& model) {
  SpecProblems problems;
  check_at_least(problems, "every", spec.every, 1);
  check_at_least(problems, "groups", spec.groups, 1);
  if (spec.count == 0 || !problems.empty()) return problems;
  if (spec.top_k < 1 || spec.top_k > spec.count)
    problems.push_back(
        {"top_k", fmt::format("a token cannot go to {} of {} experts", spec.top_k, spec.count),
         "choose from 1 to count"});
  else if (spec.group_limit > spec.groups ||
           spec.top_k * spec.groups > spec.group_limit * spec.count)
    problems.push_back(
        {"group_limit",
         fmt::format("{} experts from {} of {} groups", spec.top_k, spec.group_limit, spec.groups),
         "choose at most groups, and enough for top_k experts"});
  check_divides(problems, "groups", spec.groups, spec.count, "experts");
  if (model.layers > 0 && spec.first_dense >= model.layers)
    problems.push_back({"first_dense", fmt::format("all {} layers are dense", model.layers),
                        "choose fewer than layers"});
  return problems;
}

namespace {

void check_window(SpecProblems& problems, const TransformerSpec& spec) {
  check_at_least(problems, "sliding_window", spec.window, 0);
  check_at_least(problems, "full_attention_every", spec.full_attention_every, 0);
  if (spec.full_attention_every > 0 && spec.window == 0)
    problems.push_back({"full_attention_every", "all layers see all tokens",
                        "give sliding_window, or write full_attention_every: 0"});
  if (spec.window == 0 || spec.window >= spec.sequence) return;  // it cuts nothing
  if (spec.has_all_scores())
    problems.push_back({"sliding_window",
                        "unfused attention computes all scores and masks them: a window saves "
                        "nothing",
                        "write attention: flash, or sliding_window: 0"});
  if (!spec.causal_kernel)
    problems.push_back({"sliding_window", "a kernel with a window leaves out what it masks",
                        "leave causal_kernel out"});
}

void check_parallel_blocks(SpecProblems& problems, const TransformerSpec& spec) {
  if (!spec.parallel_blocks) return;
  if (spec.experts.count > 0 || spec.latent)
    problems.push_back({"parallel_blocks",
                        spec.latent ? "latent attention does not gather what an MLP takes"
                                    : "experts take other tokens than attention",
                        "leave it out"});
}

}  // namespace

SpecProblems problems_of(const TransformerSpec& spec) {
  SpecProblems problems = sizes_out_of_range(spec);
  if (!problems.empty()) return problems;
  check_window(problems, spec);
  check_parallel_blocks(problems, spec);
  if (spec.element == Bytes{1})
    problems.push_back({"data_type",
                        "software that trains in fp8 multiplies in 8 bits, and keeps and sends "
                        "activations in 16",
                        "write data_type: bf16 and eight_bit_products: true"});
  if (spec.head_dimension == 0 && !spec.latent)
    check_divides(problems, "heads", spec.heads, spec.hidden, "of hidden");
  if (spec.key_value_heads > 0)
    check_divides(problems, "key_value_heads", spec.key_value_heads, spec.heads, "heads");
  if (spec.eight_bit_products && spec.element > Bytes{2})
    problems.push_back({"eight_bit_products", "operands are cast from 16 bits",
                        "write data_type: bf16 or fp16, or leave it out"});
  if (!sums_fit(spec))
    problems.push_back(
        {"", "the sizes multiply to more than 9.2e18", "check for a digit too many"});
  add_below(problems, "experts", problems_of(spec.experts, spec));
  return problems;
}

}  // namespace orrery
