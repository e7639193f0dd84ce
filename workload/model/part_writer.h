// The vocabulary in which the parts of a transformer are written (attention.cc, experts.cc,
// transformer.cc): matrices, passes through memory and exchanges of one rank.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "workload/model/transformer.h"

namespace orrery {

class PartWriter {
 public:
  using Steps = std::vector<PartStep>;

  // Blocks in parallel share a norm, what is gathered for them and the sum of what they give: the
  // first gathers forwards and sums backwards, the second sums forwards and gathers backwards.
  enum class Place : std::uint8_t { alone, first_of_two, second_of_two };

  PartWriter(const TransformerSpec& of, const TransformerShard& by, bool in_layer, Place where,
             std::int64_t rank_of_adapters)
      : model(of),
        shard(by),
        in_8_bits(of.eight_bit_products && in_layer),
        tokens(by.micro_batch * of.sequence / by.context),
        scattered(by.sequence_parallel && by.tensor > 1),
        in_parts(by.overlap_tensor && scattered),
        place(where),
        adapters(rank_of_adapters) {}

  const TransformerSpec& model;
  const TransformerShard& shard;
  const bool in_8_bits;         // the operands of products, and what is gathered for them
  const std::int64_t tokens;    // of a micro-batch, of this rank's share of the sequence
  const bool scattered;         // sequence parallel
  const bool in_parts;          // exchanges beside the products that they feed
  const Place place;            // in a layer
  const std::int64_t adapters;  // their rank, of this part; 0 = none
  PartSteps steps;
  // Steps of the forward pass before the last product, whose result only the next layer needs; 0 =
  // all are needed.
  std::size_t needed_forward = 0;

  // Tokens of this rank outside the tensor-parallel regions.
  std::int64_t own_tokens() const { return scattered ? tokens / shard.tensor : tokens; }
  // Where weight gradients are computed: in the backward pass, or steps of their own.
  Steps& weights() { return shard.split_backward ? steps.weight_gradient : steps.backward; }

  // A product of rows x depth by depth x columns. The device's peak is that of 8 bits where layers
  // use them, so a product in 16 bits (the head's) counts twice.
  void gemm(Steps& to, Pass pass, std::int64_t rows, std::int64_t columns, std::int64_t depth);
  // Elements read and written.
  void memory(Steps& to, Pass pass, std::int64_t elements);
  // Bytes that the product of a weight gradient of so many elements writes; and reads, if the rank
  // sums it over its micro-batches.
  Bytes gradient_result(std::int64_t elements) const {
    return shard.sums_gradients ? model.gradient_element * (2 * elements)
                                : model.element * elements;
  }

  std::int32_t exchange(Steps& to, PartGroup group, Collective kind, Bytes size);
  void await(Steps& to, std::int32_t handle, bool journey = false);
  void exchange_and_await(Steps& to, PartGroup group, Collective kind, Bytes size) {
    await(to, exchange(to, group, kind, size));
  }
  // To the next rank of a ring, and from the one before.
  std::int32_t shift(Steps& to, PartGroup group, Bytes size);
  // The pieces of `ranks` ranks circulate in a ring. Each shift runs beside what `work` writes for
  // the piece that came before, beginning with the rank's own.
  template <class Work>
  void go_round(Steps& to, PartGroup group, std::int32_t ranks, Bytes size, Work work) {
    for (std::int32_t left = ranks - 1; left >= 0; --left) {
      const std::int32_t next = left > 0 ? shift(to, group, size) : 0;
      work();
      if (left > 0) await(to, next);
    }
  }

  // Bytes of so many elements for each token.
  Bytes activations(std::int64_t width) const { return model.element * (tokens * width); }
  // The same as operands of a product.
  Bytes operand() const { return in_8_bits ? Bytes{1} : model.element; }
  Bytes operands(std::int64_t width) const { return operand() * (tokens * width); }

  bool is_eager() const { return model.attention == AttentionKernel::eager; }
  bool is_second() const { return place == Place::second_of_two; }
  bool is_first() const { return place == Place::first_of_two; }

  void norm_forward() {
    if (!is_second()) memory(steps.forward, Pass::forward, 2 * own_tokens() * model.hidden);
  }
  void norm_backward() {  // and the residual's sum
    if (!is_second()) memory(steps.backward, Pass::input_gradient, 4 * own_tokens() * model.hidden);
  }
  // Before it, where these are kernels of their own, a bias and a dropout with a mask of a byte.
  void residual_forward() {
    if (is_eager() && !is_first()) {
      memory(steps.forward, Pass::forward, 2 * own_tokens() * model.hidden);
      traffic(steps.forward, Pass::forward,
              (model.element * 2 + Bytes{1}) * (own_tokens() * model.hidden));
    }
    if (!is_first()) memory(steps.forward, Pass::forward, 3 * own_tokens() * model.hidden);
  }
  void residual_backward() {
    if (!is_first()) memory(steps.backward, Pass::input_gradient, 2 * own_tokens() * model.hidden);
  }

  // Outputs of matrices that have the same input.
  struct Columns {
    Columns(std::int64_t of_one) : of(1, of_one) {}  // NOLINT: a matrix is one of one
    // In one product, unless each has its own.
    Columns(std::vector<std::int64_t> of_each, bool separate) : of(std::move(of_each)) {
      if (!separate) of.assign(1, sum());
    }
    std::int64_t sum() const { return std::accumulate(of.begin(), of.end(), std::int64_t{0}); }
    std::vector<std::int64_t> of;  // a product
  };

  // A matrix cut by columns: all inputs are needed, each rank has some outputs. Backwards the input
  // is gathered again beside the input gradient, and the input gradient is summed beside the weight
  // gradient (overlap_gradient_sums) or before it.
  void column_forward(std::int64_t inputs, const Columns& own_outputs);
  void column_backward(std::int64_t inputs, const Columns& own_outputs);
  // A matrix cut by rows: each rank has some inputs and a partial sum of all outputs.
  void row_forward(std::int64_t own_inputs, std::int64_t outputs);
  void row_backward(std::int64_t own_inputs, std::int64_t outputs);
  // A matrix that every rank has, for its own tokens.
  void whole_forward(std::int64_t inputs, std::int64_t outputs);
  void whole_backward(std::int64_t inputs, std::int64_t outputs);
  // Every rank has a partial sum of all outputs.
  void sum_outputs(Steps& to, std::int64_t width);

 private:
  // W x + B A x of so many rows: products with A and B, and a pass that adds.
  void adapter_forward(std::int64_t inputs, std::int64_t outputs);
  // The gradient of B A x, and of x by it; of A and B.
  void adapter_backward(std::int64_t inputs, std::int64_t outputs);
  void adapter_weights(std::int64_t inputs, std::int64_t outputs);
  // What two blocks in parallel give, added.
  void add_blocks(Steps& to, Pass pass) { memory(to, pass, 3 * tokens * model.hidden); }

  // What turns 16-bit elements into 8-bit operands, where no norm writes them so: `cast` of so many
  // tokens reads 2 B and writes 1 B; `transpose` reads and writes 1 B. Tensor cores of Hopper take
  // 8-bit factors in one layout only, and the weight gradient needs the other one.
  void cast(Steps& to, Pass pass, std::int64_t of_tokens, std::int64_t width);
  void transpose(Steps& to, Pass pass, std::int64_t width);
  void cast_and_transpose(Steps& to, Pass pass, std::int64_t width);
  void traffic(Steps& to, Pass pass, Bytes bytes);

  // What the inputs of so many tokens say of a matrix.
  void product_of_gradient(std::int64_t inputs, std::int64_t outputs, std::int64_t of_tokens);
  // The same, unless the matrix is frozen.
  void weight_gradient(std::int64_t inputs, std::int64_t outputs, std::int64_t of_tokens);
  // `gathers`: the rows are not on every rank yet.
  void gather_and_multiply(Steps& to, Pass pass, const Columns& columns, std::int64_t depth,
                           bool gathers);
  void multiply_and_sum(Steps& to, Pass pass, std::int64_t columns, std::int64_t depth);

  std::int32_t handles_ = 0;
};

// Each query sees `window` tokens, or all of the sequence if it is no longer.
void write_attention(PartWriter& to, std::int64_t window);
void write_experts(PartWriter& to);

}  // namespace orrery
