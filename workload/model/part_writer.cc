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
void PartWriter::weight_gradient(std::int64_t inputs, std::int64_t outputs,
                                 std::int64_t of_tokens) {
  gemm(weights(), Pass::weight_gradient, inputs, outputs, of_tokens);
  auto& product = std::get<Compute>(weights().back().what);
  const Bytes result = gradient_result(inputs * outputs);
  product.memory_traffic += result - product.result;
  product.result = result;
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
void PartWriter::gather_and_multiply(Steps& to, Pass pass, std::int64_t columns,
                                     std::int64_t depth) {
  if (!in_parts) {
    if (scattered)
      exchange_and_await(to, PartGroup::tensor, Collective::all_gather, operands(depth));
    return gemm(to, pass, tokens, columns, depth);
  }
  go_round(to, PartGroup::tensor, shard.tensor, operand() * (own_tokens() * depth),
           [&] { gemm(to, pass, own_tokens(), columns, depth); });
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

void PartWriter::column_forward(std::int64_t inputs, std::int64_t own_outputs) {
  gather_and_multiply(steps.forward, Pass::forward, own_outputs, inputs);
}

void PartWriter::column_backward(std::int64_t inputs, std::int64_t own_outputs) {
  std::int32_t gathered = 0, summed = 0;
  cast_and_transpose(steps.backward, Pass::input_gradient, own_outputs);
  if (scattered)
    gathered = exchange(weights(), PartGroup::tensor, Collective::all_gather, operands(inputs));
  gemm(steps.backward, Pass::input_gradient, tokens, inputs, own_outputs);
  if (scattered) await(weights(), gathered);
  if (shard.tensor > 1)
    summed = exchange(steps.backward, PartGroup::tensor,
                      scattered ? Collective::reduce_scatter : Collective::all_reduce,
                      activations(inputs));
  const bool exposed = shard.tensor > 1 && !shard.overlap_gradient_sums;
  if (exposed) await(steps.backward, summed);
  if (scattered) transpose(weights(), Pass::weight_gradient, inputs);
  weight_gradient(inputs, own_outputs, tokens);
  if (shard.tensor > 1 && !exposed) await(steps.backward, summed);
}

void PartWriter::row_forward(std::int64_t own_inputs, std::int64_t outputs) {
  cast_and_transpose(steps.forward, Pass::forward, own_inputs);
  multiply_and_sum(steps.forward, Pass::forward, outputs, own_inputs);
}

void PartWriter::row_backward(std::int64_t own_inputs, std::int64_t outputs) {
  if (scattered)
    cast(steps.backward, Pass::input_gradient, own_tokens(), outputs);
  else
    cast_and_transpose(steps.backward, Pass::input_gradient, outputs);
  gather_and_multiply(steps.backward, Pass::input_gradient, own_inputs, outputs);
  if (scattered) transpose(weights(), Pass::weight_gradient, outputs);
  weight_gradient(own_inputs, outputs, tokens);
}

void PartWriter::whole_forward(std::int64_t inputs, std::int64_t outputs) {
  gemm(steps.forward, Pass::forward, own_tokens(), outputs, inputs);
}

void PartWriter::whole_backward(std::int64_t inputs, std::int64_t outputs) {
  gemm(steps.backward, Pass::input_gradient, own_tokens(), inputs, outputs);
  weight_gradient(inputs, outputs, own_tokens());
}

}  // namespace orrery
