// A layer of experts: every token goes to k of E, of which each rank of an expert-parallel group
// has E/e.
//
// With n = b s / (c t) tokens of a rank and k copies of each, one micro-batch:
//   forward   router; counts gathered; copies put in the order of experts; dispatch (all-to-all);
//             two matrices of each local expert for what arrived; combine (all-to-all back); sum of
//             the k results. Experts that are cut by q gather tokens before and scatter sums after
//   backward  the same two exchanges with roles swapped, both in full precision
// A shared expert is an MLP cut by t as any other; it works beside dispatch and combine.
//
// The layer is that of Megatron-LM's MoEAlltoAllTokenDispatcher; exchanges node by node are those
// of DeepEP (github.com/deepseek-ai/DeepEP).
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "workload/model/expert_routing.h"
#include "workload/model/part_writer.h"

namespace orrery {

namespace {

class Experts {
 public:
  explicit Experts(PartWriter& to)
      : to_(to),
        model_(to.model),
        training_(to.shard.experts),
        tokens_(to.own_tokens()),
        copies_(copies_of_rank(model_.experts, training_, tokens_)),
        local_(model_.experts.count / training_.parallel),
        inner_(model_.expert_width() / training_.tensor),
        shared_inner_(model_.shared_width() / to.shard.tensor),
        drawn_(training_.is_drawn()) {}

  void write() {
    forward();
    backward();
  }

 private:
  using Steps = PartWriter::Steps;
  using Role = Routed::Role;

  void forward();
  void backward();
  void local_forward(Bytes copy);
  void local_backward();
  void shared_in_forward();
  void shared_out_forward();
  void shared_in_backward();
  void shared_out_backward();

  // One exchange of a journey.
  struct Leg {
    PartGroup group;
    Role role;
    std::int64_t copies;  // that a rank sends if all experts are equally popular
  };

  void grouped(Steps& to, Pass pass, std::int64_t inputs, std::int64_t outputs);
  void cast(Steps& to, Pass pass, std::int64_t width, bool is_in_8_bits = false);
  void pass_through(Steps& to, Pass pass, std::int64_t elements_of_copy);
  template <class Beside>
  void travel(Steps& to, Bytes copy, const std::vector<Leg>& legs, Beside beside);
  std::vector<Leg> outwards() const;
  std::vector<Leg> homewards() const;
  void spread(Steps& to, Collective kind, Bytes copy);

  Bytes plain_copy() const { return model_.element * model_.hidden; }
  // The copies that arrive at a rank, with those of the ranks that share its experts.
  std::int64_t arriving() const { return copies_ * training_.tensor; }

  PartWriter& to_;
  const TransformerSpec& model_;
  const ExpertTraining& training_;
  std::int64_t tokens_, copies_, local_, inner_, shared_inner_;
  bool drawn_;
};

// The matrices of all local experts, one after the other; their weights are read whatever arrives.
// The result is what leaves, or the gradient of the weights.
void Experts::grouped(Steps& to, Pass pass, std::int64_t inputs, std::int64_t outputs) {
  const Flops flops{2 * arriving() * inputs * outputs};
  const std::int64_t elements = local_ * inputs * outputs;
  const bool of_weights = pass == Pass::weight_gradient;
  const Bytes weights = of_weights ? to_.gradient_result(elements) : to_.operand() * elements;
  const Bytes in = to_.operand() * (arriving() * inputs);
  const Bytes out = (of_weights ? to_.operand() : model_.element) * (arriving() * outputs);
  Compute product{flops, weights + in + out, std::nullopt};
  product.result = of_weights ? weights : out;
  to.push_back({pass, product});
  if (drawn_) to.back().routed = {Role::compute, weights};
}

// What arrives becomes 8-bit operands, plain and transposed: 2 B read and twice 1 B written of each
// element. A layer's norm does this for a dense MLP; copies are in the order of experts only now.
// What was sent in 8 bits is only transposed.
void Experts::cast(Steps& to, Pass pass, std::int64_t width, bool is_in_8_bits) {
  if (!to_.in_8_bits) return;
  const Bytes moved{is_in_8_bits ? 2 : 4};
  to.push_back({pass, Compute{Flops{}, moved * (arriving() * width), std::nullopt}});
  if (drawn_) to.back().routed = {Role::compute, Bytes{}};
}

void Experts::pass_through(Steps& to, Pass pass, std::int64_t elements_of_copy) {
  to_.memory(to, pass, arriving() * elements_of_copy);
  if (drawn_) to.back().routed = {Role::compute, Bytes{}};
}

// Node by node, a copy crosses to the rank of the same place in the node, which passes it on to the
// experts there.
std::vector<Experts::Leg> Experts::outwards() const {
  if (training_.parallel == 1) return {};
  if (training_.node_ranks == 0) return {{PartGroup::expert, Role::dispatch, copies_}};
  const double nodes = expected_nodes(model_.experts, training_.nodes());
  const auto crossing = std::llround(static_cast<double>(tokens_) * nodes);
  return {{PartGroup::expert_rail, Role::across, std::min<std::int64_t>(crossing, copies_)},
          {PartGroup::expert_node, Role::inside, copies_}};
}

std::vector<Experts::Leg> Experts::homewards() const {
  std::vector<Leg> legs = outwards();
  std::reverse(legs.begin(), legs.end());
  for (Leg& leg : legs) leg.role = reversed(leg.role);
  return legs;
}

// What is beside the journey is written before its first exchange is waited for.
template <class Beside>
void Experts::travel(Steps& to, Bytes copy, const std::vector<Leg>& legs, Beside beside) {
  bool done = false;
  for (const Leg& leg : legs) {
    const std::int32_t handle =
        to_.exchange(to, leg.group, Collective::all_to_all, copy * leg.copies);
    if (drawn_) to.back().routed = {leg.role, copy};
    if (training_.overlap_shared && !std::exchange(done, true)) beside();
    to_.await(to, handle, true);
  }
  if (!done) beside();
}

// Ranks that share experts gather what arrived at any of them, and scatter the sums.
void Experts::spread(Steps& to, Collective kind, Bytes copy) {
  if (training_.tensor == 1) return;
  const std::int32_t handle = to_.exchange(to, PartGroup::expert_tensor, kind, copy * arriving());
  if (drawn_) to.back().routed = {Role::spread, copy};
  to_.await(to, handle);
}

void Experts::shared_in_forward() {
  if (shared_inner_ == 0) return;
  to_.column_forward(model_.hidden, model_.mlp_inputs() * shared_inner_);
  to_.memory(to_.steps.forward, Pass::forward,
             (model_.mlp_inputs() + 1) * to_.tokens * shared_inner_);
}

void Experts::shared_out_forward() {
  if (shared_inner_ > 0) to_.row_forward(shared_inner_, model_.hidden);
}

void Experts::shared_out_backward() {
  if (shared_inner_ > 0) to_.row_backward(shared_inner_, model_.hidden);
}

void Experts::shared_in_backward() {
  if (shared_inner_ == 0) return;
  to_.memory(to_.steps.backward, Pass::input_gradient,
             (2 * model_.mlp_inputs() + 1) * to_.tokens * shared_inner_);
  to_.column_backward(model_.hidden, model_.mlp_inputs() * shared_inner_);
}

void Experts::local_forward(Bytes copy) {
  Steps& steps = to_.steps.forward;
  const std::int64_t h = model_.hidden, matrices = model_.mlp_inputs();
  spread(steps, Collective::all_gather, copy);
  if (local_ > 1) pass_through(steps, Pass::forward, 2 * h);  // sorted by expert
  cast(steps, Pass::forward, h, training_.fp8_dispatch);
  grouped(steps, Pass::forward, h, matrices * inner_);
  pass_through(steps, Pass::forward, (matrices + 1) * inner_);  // activation
  cast(steps, Pass::forward, inner_);
  grouped(steps, Pass::forward, inner_, h);
  if (local_ > 1) pass_through(steps, Pass::forward, 2 * h);
  spread(steps, Collective::reduce_scatter, plain_copy());
}

void Experts::local_backward() {
  Steps& steps = to_.steps.backward;
  const std::int64_t h = model_.hidden, matrices = model_.mlp_inputs();
  spread(steps, Collective::all_gather, plain_copy());
  if (local_ > 1) pass_through(steps, Pass::input_gradient, 2 * h);
  cast(steps, Pass::input_gradient, h);
  grouped(steps, Pass::input_gradient, h, inner_);
  grouped(to_.weights(), Pass::weight_gradient, inner_, h);
  pass_through(steps, Pass::input_gradient, (2 * matrices + 1) * inner_);
  cast(steps, Pass::input_gradient, matrices * inner_);
  grouped(steps, Pass::input_gradient, matrices * inner_, h);
  grouped(to_.weights(), Pass::weight_gradient, h, matrices * inner_);
  if (local_ > 1) pass_through(steps, Pass::input_gradient, 2 * h);
  spread(steps, Collective::reduce_scatter, plain_copy());
}

// Counts are exchanged because ranks must know what will arrive; padded, they know.
void Experts::forward() {
  constexpr Bytes probability{4}, count{4};
  Steps& steps = to_.steps.forward;
  const std::int64_t h = model_.hidden, experts = model_.experts.count;
  const bool padded = training_.capacity > 0 && training_.capacity_mode == CapacityMode::pad;
  const Bytes copy = (training_.fp8_dispatch ? fp8_size(h) : plain_copy()) + probability;
  to_.norm_forward();
  to_.whole_forward(h, experts);                            // router
  to_.memory(steps, Pass::forward, 2 * tokens_ * experts);  // softmax and top k
  const std::int64_t ranks = std::int64_t{training_.parallel} * training_.tensor;
  if (ranks > 1 && !padded)
    to_.exchange_and_await(steps, PartGroup::expert_all, Collective::all_gather,
                           count * (experts * ranks));
  to_.memory(steps, Pass::forward, (tokens_ + copies_) * h);  // copies in order
  travel(steps, copy, outwards(), [&] { shared_in_forward(); });
  local_forward(copy);
  travel(steps, plain_copy(), homewards(), [&] { shared_out_forward(); });
  to_.memory(steps, Pass::forward, (copies_ + tokens_) * h);  // weighted sum
  to_.residual_forward();
}

void Experts::backward() {
  constexpr Bytes probability{4};
  Steps& steps = to_.steps.backward;
  const std::int64_t h = model_.hidden, experts = model_.experts.count;
  to_.residual_backward();
  to_.memory(steps, Pass::input_gradient, (tokens_ + copies_) * h);
  travel(steps, plain_copy(), outwards(), [&] { shared_out_backward(); });
  local_backward();
  travel(steps, plain_copy() + probability, homewards(), [&] { shared_in_backward(); });
  to_.memory(steps, Pass::input_gradient, (copies_ + tokens_) * h);
  to_.memory(steps, Pass::input_gradient, 2 * tokens_ * experts);
  to_.whole_backward(h, experts);
  to_.norm_backward();
}

}  // namespace

void write_experts(PartWriter& to) { Experts(to).write(); }

}  // namespace orrery
