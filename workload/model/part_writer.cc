#include "workload/model/part_writer.h"

#include <algorithm>
#include <limits>

namespace orrery {

namespace {

// None if a side is too long to have been timed.
MatrixShape shape_of(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  if (std::max({rows, columns, depth}) > std::numeric_limits<std::int32_t>::max()) return {};
  return {static_cast<std::int32_t>(rows), static_cast<std::int32_t>(columns),
          static_cast<std::int32_t>(depth)};
}

}  // namespace

// Reads both factors and writes the product once.
void PartWriter::gemm(Steps& to, Pass pass, std::int64_t rows, std::int64_t columns,
                      std::int64_t depth) {
  const std::int64_t each = model.eight_bit_products && !in_8_bits ? 4 : 2;
  const Bytes moved =
      operand() * (rows * depth + depth * columns) + model.element * (rows * columns);
  Compute product{Flops{each * rows * columns * depth}, moved, std::nullopt};
  product.shape = shape_of(rows, columns, depth);
  product.result = model.element * (rows * columns);
  to.push_back({pass, product});
}

// Gradients that a rank sums over its micro-batches are added to what is there, by the kernel of
// the product (Megatron-LM's gradient_accumulation_fusion): read and written.
void PartWriter::product_of_gradient(std::int64_t inputs, std::int64_t outputs,
                                     std::int64_t of_tokens) {
  gemm(weights(), Pass::weight_gradient, inputs, outputs, of_tokens);
  auto& product = std::get<Compute>(weights().back().what);
  const Bytes result = gradient_result(inputs * outputs);
  product.memory_traffic += result - product.result;
  product.result = result;
}

void PartWriter::weight_gradient(std::int64_t inputs, std::int64_t outputs,
                                 std::int64_t of_tokens) {
  if (!shard.lora.freezes()) product_of_gradient(inputs, outputs, of_tokens);
}

void PartWriter::memory(Steps& to, Pass pass, std::int64_t elements) {
  traffic(to, pass, model.element * elements);
}

void PartWriter::traffic(Steps& to, Pass pass, Bytes bytes) {
  to.push_back({pass, Compute{Flops{}, bytes, std::nullopt}});
}

void PartWriter::cast(Steps& to, Pass pass, std::int64_t of_tokens, std::int64_t width) {
  if (in_8_bits) traffic(to, pass, Bytes{3} * (of_tokens * width));
}

void PartWriter::transpose(Steps& to, Pass pass, std::int64_t width) {
  if (in_8_bits) traffic(to, pass, Bytes{2} * (tokens * width));
}

// In one kernel, which reads once.
void PartWriter::cast_and_transpose(Steps& to, Pass pass, std::int64_t width) {
  if (in_8_bits) traffic(to, pass, Bytes{4} * (tokens * width));
}

std::int32_t PartWriter::exchange(Steps& to, PartGroup group, Collective kind, Bytes size) {
  to.push_back({Pass::none, PartStep::Exchange{kind, size, handles_, group}});
  return handles_++;
}

void PartWriter::await(Steps& to, std::int32_t handle, bool journey) {
  to.push_back({Pass::none, PartStep::Await{handle, journey}});
}

std::int32_t PartWriter::shift(Steps& to, PartGroup group, Bytes size) {
  to.push_back({Pass::none, PartStep::Shift{size, handles_, group}});
  return handles_++;
}

void PartWriter::sum_outputs(Steps& to, std::int64_t width) {
  if (shard.tensor == 1) return;
  exchange_and_await(to, PartGroup::tensor,
                     scattered ? Collective::reduce_scatter : Collective::all_reduce,
                     activations(width));
}

// A product whose first factor's rows are scattered over the group.
void PartWriter::gather_and_multiply(Steps& to, Pass pass, const Columns& columns,
                                     std::int64_t depth, bool gathers) {
  const auto multiply = [&](std::int64_t rows) {
    for (const std::int64_t of_one : columns.of) gemm(to, pass, rows, of_one, depth);
  };
  if (!in_parts) {
    if (scattered && gathers)
      exchange_and_await(to, PartGroup::tensor, Collective::all_gather, operands(depth));
    return multiply(tokens);
  }
  go_round(to, PartGroup::tensor, shard.tensor, operand() * (own_tokens() * depth),
           [&] { multiply(own_tokens()); });
}

// A product that is one of the group's partial sums, of which each rank gets the rows of its own
// tokens. In parts, the sums of the others' tokens leave one by one, each beside the product of the
// next; what arrived is added up at the end, as in Transformer Engine and PyTorch.
void PartWriter::multiply_and_sum(Steps& to, Pass pass, std::int64_t columns, std::int64_t depth) {
  if (!in_parts) {
    gemm(to, pass, tokens, columns, depth);
    return sum_outputs(to, columns);
  }
  std::vector<std::int32_t> leaving;
  for (std::int32_t left = shard.tensor - 1; left >= 0; --left) {
    gemm(to, pass, own_tokens(), columns, depth);
    if (left > 0)
      leaving.push_back(shift(to, PartGroup::tensor, model.element * (own_tokens() * columns)));
  }
  for (const std::int32_t handle : leaving) await(to, handle);
  memory(to, pass, (shard.tensor + 1) * own_tokens() * columns);
}

void PartWriter::column_forward(std::int64_t inputs, const Columns& own_outputs) {
  gather_and_multiply(steps.forward, Pass::forward, own_outputs, inputs, !is_second());
  adapter_forward(inputs, own_outputs.sum());
}

// The second of two blocks comes first backwards: what it gathers the first one has as well, and
// the first one sums what both say of their input. What several matrices say of it is added.
void PartWriter::column_backward(std::int64_t inputs, const Columns& own_outputs) {
  const std::int64_t outputs = own_outputs.sum(), products = std::ssize(own_outputs.of);
  const bool is_trained = !shard.lora.freezes() || adapters > 0;
  const bool gathers = scattered && !is_first() && is_trained;
  const bool sums = shard.tensor > 1 && !is_second();
  std::int32_t gathered = 0, summed = 0;
  cast_and_transpose(steps.backward, Pass::input_gradient, outputs);
  if (gathers)
    gathered = exchange(weights(), PartGroup::tensor, Collective::all_gather, operands(inputs));
  for (const std::int64_t of_one : own_outputs.of)
    gemm(steps.backward, Pass::input_gradient, tokens, inputs, of_one);
  if (products > 1) memory(steps.backward, Pass::input_gradient, (products + 1) * tokens * inputs);
  adapter_backward(inputs, outputs);
  if (is_first()) add_blocks(steps.backward, Pass::input_gradient);
  if (gathers) await(weights(), gathered);
  if (sums)
    summed = exchange(steps.backward, PartGroup::tensor,
                      scattered ? Collective::reduce_scatter : Collective::all_reduce,
                      activations(inputs));
  const bool exposed = sums && !shard.overlap_gradient_sums;
  if (exposed) await(steps.backward, summed);
  if (gathers) transpose(weights(), Pass::weight_gradient, inputs);
  for (const std::int64_t of_one : own_outputs.of) weight_gradient(inputs, of_one, tokens);
  adapter_weights(inputs, outputs);
  if (sums && !exposed) await(steps.backward, summed);
}

void PartWriter::row_forward(std::int64_t own_inputs, std::int64_t outputs) {
  cast_and_transpose(steps.forward, Pass::forward, own_inputs);
  if (adapters == 0 && place == Place::alone)
    return multiply_and_sum(steps.forward, Pass::forward, outputs, own_inputs);
  gemm(steps.forward, Pass::forward, tokens, outputs, own_inputs);
  adapter_forward(own_inputs, outputs);
  if (is_second()) add_blocks(steps.forward, Pass::forward);
  if (!is_first()) sum_outputs(steps.forward, outputs);
}

void PartWriter::row_backward(std::int64_t own_inputs, std::int64_t outputs) {
  if (!is_first()) {
    if (scattered)
      cast(steps.backward, Pass::input_gradient, own_tokens(), outputs);
    else
      cast_and_transpose(steps.backward, Pass::input_gradient, outputs);
  }
  gather_and_multiply(steps.backward, Pass::input_gradient, own_inputs, outputs, !is_first());
  adapter_backward(own_inputs, outputs);
  if (scattered && !is_first()) transpose(weights(), Pass::weight_gradient, outputs);
  weight_gradient(own_inputs, outputs, tokens);
  adapter_weights(own_inputs, outputs);
}

// A x, B (A x), and their sum with W x: it reads both and writes one.
void PartWriter::adapter_forward(std::int64_t inputs, std::int64_t outputs) {
  if (adapters == 0) return;
  gemm(steps.forward, Pass::forward, tokens, adapters, inputs);
  gemm(steps.forward, Pass::forward, tokens, outputs, adapters);
  memory(steps.forward, Pass::forward, 3 * tokens * outputs);
}

// Of A x, then of x, which is added to that of W x.
void PartWriter::adapter_backward(std::int64_t inputs, std::int64_t outputs) {
  if (adapters == 0) return;
  gemm(steps.backward, Pass::input_gradient, tokens, adapters, outputs);
  gemm(steps.backward, Pass::input_gradient, tokens, inputs, adapters);
  memory(steps.backward, Pass::input_gradient, 3 * tokens * inputs);
}

void PartWriter::adapter_weights(std::int64_t inputs, std::int64_t outputs) {
  if (adapters == 0) return;
  product_of_gradient(adapters, outputs, tokens);
  product_of_gradient(inputs, adapters, tokens);
}

void PartWriter::whole_forward(std::int64_t inputs, std::int64_t outputs) {
  gemm(steps.forward, Pass::forward, own_tokens(), outputs, inputs);
}

void PartWriter::whole_backward(std::int64_t inputs, std::int64_t outputs) {
  gemm(steps.backward, Pass::input_gradient, own_tokens(), inputs, outputs);
  weight_gradient(inputs, outputs, own_tokens());
}

}  // namespace orrery
