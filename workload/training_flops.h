// Floating-point operations of a training iteration, as different authors count them. Utilisation
// is such a number over what the processors could do in the time of the iteration; numbers of
// different conventions cannot be compared.
//
// Of B samples of s tokens: with 2 operations for a multiply-add, a forward pass takes 2 for each
// matrix parameter and token, and 4 s^2 A for each attention layer (two products of s x s x A, A =
// heads x their width); a backward pass takes twice that. Lookups, norms and what else is no matrix
// product is not counted. Of experts, those that a token goes to, and of its copies those that are
// not dropped (dropped_copies.h). In a window of w tokens w (2 s - w) pairs take the place of s^2.
// Frozen matrices have one pass less, and their adapters three.
#pragma once

#include <array>
#include <string_view>

#include "workload/workload_spec.h"

namespace orrery {

enum class FlopConvention : std::uint8_t {
  // 3 forward passes with all s^2 pairs of tokens: 72 B s L h^2 (1 + s/6h + V/12Lh) of a GPT.
  // D. Narayanan et al., SC'21, equation 3 without recomputation; Megatron-LM until 2025
  model,
  causal,      // the same with half the pairs, as causality leaves them; Megatron-LM since 2026
  palm,        // 6 N + 12 L H Q T a token. A. Chowdhery et al., "PaLM", appendix B
  six_n,       // 6 N a token. J. Kaplan et al., arXiv 2001.08361
  recomputed,  // `model`, and the forward passes that are done again: SC'21, equation 3
};
inline constexpr std::array flop_conventions{FlopConvention::model, FlopConvention::causal,
                                             FlopConvention::palm, FlopConvention::six_n,
                                             FlopConvention::recomputed};
std::string_view name_of(FlopConvention convention);  // "model", "causal", ...

// Of an iteration, over all ranks. N is all parameters that a token meets: embeddings too, one
// matrix once, and of experts those that it goes to.
double training_flops(const TransformerWorkload& workload, FlopConvention convention);

}  // namespace orrery
