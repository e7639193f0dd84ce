// Attention: projections, the scores of one kernel, of all tokens or those in a window (I. Beltagy
// et al., "Longformer", arXiv 2004.05150), and what context parallelism exchanges for it.
//
// With c ranks that share a sequence, each has the queries of T = b s / c tokens and needs the keys
// and values of all:
//   ring        they go round in c - 1 steps, each beside the scores of the block before; backwards
//               again, with their gradients. The chunks of a causal mask are dealt out so that all
//               blocks are equal work (zig-zag).   H. Liu et al., "Ring Attention", ICLR 2024
//   all_gather  before the scores; backwards again, and a reduce-scatter of the gradients.
//               A. Grattafiori et al., arXiv 2407.21783, section 3.3.2
//   pytorch     the same as torch.distributed.tensor.experimental.context_parallel of PyTorch 2.6
//               does it, and torchtitan calls it: keys and values are repeated for all queries
//               first (repeat_kv), blocks are merged in single precision, and the gradients of keys
//               and values go round in c steps, in single precision. The call is compiled, so
//               each exchange is waited for where it is called.
//   ulysses     all-to-alls turn tokens into heads and back.  S. Jacobs et al., arXiv 2309.14509
//   ulysses_ring  all-to-alls among neighbours, so that each has a part of the heads for the tokens
//               of all of them; these go round a ring of such groups.  J. Fang, S. Zhao, "USP",
//               arXiv 2405.07719; Megatron-LM's hierarchical context parallelism (a2a+p2p)
#include <algorithm>

#include "workload/model/part_writer.h"
#include "workload/model/unfused_attention.h"

namespace orrery {

namespace {

// The attention of one rank of a tensor-parallel group.
class Attention {
 public:
  Attention(PartWriter& to, std::int64_t window)
      : to_(to),
        model_(to.model),
        window_(std::min(window, model_.sequence)),
        heads_(model_.heads / to.shard.tensor),
        key_heads_(std::max<std::int64_t>(1, model_.key_heads() / to.shard.tensor)) {}

  void write();

 private:
  using Steps = PartWriter::Steps;

  std::int64_t queries() const { return heads_ * model_.head_width(); }
  std::int64_t keys_and_values() const {
    return key_heads_ * (model_.head_width() + model_.value_head_width());
  }
  std::int64_t outputs() const { return heads_ * model_.value_head_width(); }
  std::int64_t pairs() const;

  void project_forward();
  void project_backward();
  void scores(Steps& to, Pass pass, std::int64_t width_of_head, std::int64_t blocks);
  void unfused_scores(Steps& to, Pass pass);
  void scores_forward();
  void scores_backward();
  void ring(Steps& to, Pass pass, std::int64_t width_of_head, Bytes block);
  PartWriter::Columns projected() const {
    return {{queries(), key_heads_ * model_.head_width(), key_heads_ * model_.value_head_width()},
            to_.shard.separate_products};
  }
  void gather_repeated(Steps& to) {
    to_.exchange_and_await(to, PartGroup::context, Collective::all_gather,
                           to_.activations(queries() + outputs()) * to_.shard.context);
  }
  void blocks_forward(Steps& to, std::int64_t width_of_head);
  void blocks_backward(Steps& to, std::int64_t width_of_head);
  void turn(Steps& to, std::int64_t width);

  PartWriter& to_;
  const TransformerSpec& model_;
  std::int64_t window_;
  std::int64_t heads_, key_heads_;  // of this rank: a key head at least
};

void Attention::write() {
  to_.norm_forward();
  project_forward();
  scores_forward();
  if (to_.is_first() && to_.adapters == 0) to_.needed_forward = to_.steps.forward.size();
  to_.row_forward(outputs(), model_.hidden);
  to_.residual_forward();

  to_.residual_backward();
  to_.row_backward(outputs(), model_.hidden);
  scores_backward();
  project_backward();
  to_.norm_backward();
}

// Latent: every rank computes the latent vectors of its own tokens, which are gathered in the place
// of the activations; the part of the key that knows its position goes with them.
void Attention::project_forward() {
  if (!model_.latent) return to_.column_forward(model_.hidden, projected());
  const LatentAttention& latent = *model_.latent;
  PartWriter::Steps& steps = to_.steps.forward;
  if (latent.query_rank > 0) {
    to_.whole_forward(model_.hidden, latent.query_rank);
    to_.memory(steps, Pass::forward, 2 * to_.own_tokens() * latent.query_rank);  // norm
    to_.column_forward(latent.query_rank, queries());
  } else {
    to_.column_forward(model_.hidden, queries());
  }
  to_.whole_forward(model_.hidden, latent.key_value_rank + latent.rotary);
  to_.memory(steps, Pass::forward, 2 * to_.own_tokens() * latent.key_value_rank);
  if (to_.scattered)
    to_.exchange_and_await(steps, PartGroup::tensor, Collective::all_gather,
                           to_.activations(latent.rotary));
  to_.column_forward(latent.key_value_rank, heads_ * (latent.plain + latent.value));
}

void Attention::project_backward() {
  if (!model_.latent) return to_.column_backward(model_.hidden, projected());
  const LatentAttention& latent = *model_.latent;
  PartWriter::Steps& steps = to_.steps.backward;
  to_.column_backward(latent.key_value_rank, heads_ * (latent.plain + latent.value));
  to_.sum_outputs(steps, latent.rotary);
  to_.memory(steps, Pass::input_gradient, 2 * to_.own_tokens() * latent.key_value_rank);
  to_.whole_backward(model_.hidden, latent.key_value_rank + latent.rotary);
  if (latent.query_rank == 0) return to_.column_backward(model_.hidden, queries());
  to_.column_backward(latent.query_rank, queries());
  to_.memory(steps, Pass::input_gradient, 2 * to_.own_tokens() * latent.query_rank);
  to_.whole_backward(model_.hidden, latent.query_rank);
}

// Pairs of a query and a token that it sees, twice as many as with causality: of s tokens the first
// w see one to w, the others w, which is s w - w^2 / 2 as s^2 / 2 is without a window.
std::int64_t Attention::pairs() const {
  const std::int64_t both = window_ * (2 * model_.sequence - window_), s = model_.sequence;
  return to_.tokens * (both / s) + to_.tokens * (both % s) / s;
}

// One of so many equal blocks of a flash kernel, which moves no s x s: 2 T s operations for each
// head and each element of a head that its products read; half of them if the kernel leaves out
// what causality masks.
void Attention::scores(Steps& to, Pass pass, std::int64_t width_of_head, std::int64_t blocks) {
  if (model_.has_all_scores()) return unfused_scores(to, pass);
  const std::int64_t full = 2 * pairs() * heads_ * width_of_head;
  const Flops flops{(model_.causal_kernel ? full / 2 : full) / blocks};
  const std::int64_t elements = to_.tokens * (queries() + outputs() + keys_and_values()) / blocks;
  Compute kernel{flops, model_.element * elements, std::nullopt, Kernel::attention};
  kernel.keys = static_cast<std::int32_t>(
      std::max<std::int64_t>(1, pairs() / (model_.causal_kernel ? 2 : 1) / to_.tokens / blocks));
  to.push_back({pass, kernel});
}

// Selective recomputation keeps only queries, keys and values.
void Attention::unfused_scores(Steps& to, Pass pass) {
  const UnfusedAttention kernels{to_.tokens,
                                 model_.sequence,
                                 heads_,
                                 model_.head_width(),
                                 model_.value_head_width(),
                                 model_.element,
                                 model_.attention == AttentionKernel::eager};
  if (pass == Pass::forward || to_.shard.recompute == Recompute::selective)
    for (const Compute& work : kernels.forward()) to.push_back({pass, work});
  if (pass != Pass::forward)
    for (const Compute& work : kernels.backward()) to.push_back({pass, work});
}

// With an inner group a rank has a part of the heads for as many times the tokens: blocks are as
// large, and there are fewer of them.
void Attention::ring(Steps& to, Pass pass, std::int64_t width_of_head, Bytes block) {
  const std::int32_t ranks = to_.shard.context / to_.shard.context_inner;
  to_.go_round(to, PartGroup::context, ranks, block,
               [&] { scores(to, pass, width_of_head, ranks); });
}

// What a block gives is read in 16 bits and added to a sum in 32, which is read and written: 10 B
// an element, five of 2 B.
void Attention::blocks_forward(Steps& to, std::int64_t width_of_head) {
  for (std::int32_t block = 0; block < to_.shard.context; ++block) {
    scores(to, Pass::forward, width_of_head, to_.shard.context);
    to_.memory(to, Pass::forward, 5 * to_.tokens * outputs());
  }
}

// The same of the gradients of queries, keys and values, of which the last two go on in 32 bits.
void Attention::blocks_backward(Steps& to, std::int64_t width_of_head) {
  constexpr Bytes single{4};
  const Bytes gradients = single * (to_.tokens * (queries() + outputs()));
  for (std::int32_t block = 0; block < to_.shard.context; ++block) {
    scores(to, Pass::input_gradient, width_of_head, to_.shard.context);
    to_.memory(to, Pass::input_gradient, 5 * to_.tokens * (2 * queries() + outputs()));
    to_.await(to, to_.shift(to, PartGroup::context, gradients));
  }
}

// Tokens become heads, or heads tokens.
void Attention::turn(Steps& to, std::int64_t width) {
  const bool inner = to_.shard.context_method == ContextMethod::ulysses_ring;
  to_.exchange_and_await(to, inner ? PartGroup::context_inner : PartGroup::context,
                         Collective::all_to_all, to_.activations(width));
}

// Two products: queries by keys, scores by values.
void Attention::scores_forward() {
  const std::int64_t width = model_.head_width() + model_.value_head_width();
  const Bytes block = to_.activations(keys_and_values());
  Steps& steps = to_.steps.forward;
  if (to_.shard.context == 1) return scores(steps, Pass::forward, width, 1);
  switch (to_.shard.context_method) {
    case ContextMethod::ring:
      return ring(steps, Pass::forward, width, block);
    case ContextMethod::all_gather:
      to_.exchange_and_await(steps, PartGroup::context, Collective::all_gather,
                             block * to_.shard.context);
      return scores(steps, Pass::forward, width, 1);
    case ContextMethod::pytorch:
      gather_repeated(steps);
      return blocks_forward(steps, width);
    case ContextMethod::ulysses:
      turn(steps, queries() + keys_and_values());
      scores(steps, Pass::forward, width, 1);
      return turn(steps, outputs());
    case ContextMethod::ulysses_ring:
      turn(steps, queries() + keys_and_values());
      ring(steps, Pass::forward, width, block);
      return turn(steps, outputs());
  }
}

// Five: queries by keys again, and the gradients of scores, values, queries and keys.
void Attention::scores_backward() {
  const std::int64_t width = 3 * model_.head_width() + 2 * model_.value_head_width();
  const Bytes block = to_.activations(keys_and_values());
  Steps& steps = to_.steps.backward;
  if (to_.shard.context == 1) return scores(steps, Pass::input_gradient, width, 1);
  switch (to_.shard.context_method) {
    case ContextMethod::ring:
      return ring(steps, Pass::input_gradient, width, block * 2);
    case ContextMethod::all_gather:
      to_.exchange_and_await(steps, PartGroup::context, Collective::all_gather,
                             block * to_.shard.context);
      scores(steps, Pass::input_gradient, width, 1);
      return to_.exchange_and_await(steps, PartGroup::context, Collective::reduce_scatter,
                                    block * to_.shard.context);
    case ContextMethod::pytorch:
      gather_repeated(steps);
      return blocks_backward(steps, width);
    case ContextMethod::ulysses:
      turn(steps, outputs());
      scores(steps, Pass::input_gradient, width, 1);
      return turn(steps, queries() + keys_and_values());
    case ContextMethod::ulysses_ring:
      turn(steps, outputs());
      ring(steps, Pass::input_gradient, width, block * 2);
      return turn(steps, queries() + keys_and_values());
  }
}

}  // namespace

void write_attention(PartWriter& to, std::int64_t window) { Attention(to, window).write(); }

}  // namespace orrery
