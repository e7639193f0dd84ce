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
  const Flops flops{2 * rows * columns * depth};
  const Bytes traffic = model.element * (rows * depth + depth * columns + rows * columns);
  Compute product{flops, traffic, std::nullopt};
  product.shape = shape_of(rows, columns, depth);
  to.push_back({pass, product});
}

void PartWriter::memory(Steps& to, Pass pass, std::int64_t elements) {
  to.push_back({pass, Compute{Flops{}, model.element * elements, std::nullopt}});
}

std::int32_t PartWriter::exchange(Steps& to, PartGroup group, Collective kind, Bytes size) {
  to.push_back({Pass::none, PartStep::Exchange{kind, size, handles_, group}});
  return handles_++;
}

void PartWriter::await(Steps& to, std::int32_t handle) {
  to.push_back({Pass::none, PartStep::Await{handle}});
}

std::int32_t PartWriter::shift(Steps& to, Bytes size) {
  to.push_back({Pass::none, PartStep::Shift{size, handles_}});
  return handles_++;
}

void PartWriter::sum_outputs(Steps& to, std::int64_t width) {
  if (shard.tensor == 1) return;
  exchange_and_await(to, PartGroup::tensor,
                     scattered ? Collective::reduce_scatter : Collective::all_reduce,
                     activations(width));
}

void PartWriter::column_forward(std::int64_t inputs, std::int64_t own_outputs) {
  if (scattered)
    exchange_and_await(steps.forward, PartGroup::tensor, Collective::all_gather,
                       activations(inputs));
  gemm(steps.forward, Pass::forward, tokens, own_outputs, inputs);
}

void PartWriter::column_backward(std::int64_t inputs, std::int64_t own_outputs) {
  std::int32_t gathered = 0, summed = 0;
  if (scattered)
    gathered = exchange(weights(), PartGroup::tensor, Collective::all_gather, activations(inputs));
  gemm(steps.backward, Pass::input_gradient, tokens, inputs, own_outputs);
  if (scattered) await(weights(), gathered);
  if (shard.tensor > 1)
    summed = exchange(steps.backward, PartGroup::tensor,
                      scattered ? Collective::reduce_scatter : Collective::all_reduce,
                      activations(inputs));
  gemm(weights(), Pass::weight_gradient, inputs, own_outputs, tokens);
  if (shard.tensor > 1) await(steps.backward, summed);
}

void PartWriter::row_forward(std::int64_t own_inputs, std::int64_t outputs) {
  gemm(steps.forward, Pass::forward, tokens, outputs, own_inputs);
  sum_outputs(steps.forward, outputs);
}

void PartWriter::row_backward(std::int64_t own_inputs, std::int64_t outputs) {
  if (scattered)
    exchange_and_await(steps.backward, PartGroup::tensor, Collective::all_gather,
                       activations(outputs));
  gemm(steps.backward, Pass::input_gradient, tokens, own_inputs, outputs);
  gemm(weights(), Pass::weight_gradient, own_inputs, outputs, tokens);
}

void PartWriter::whole_forward(std::int64_t inputs, std::int64_t outputs) {
  gemm(steps.forward, Pass::forward, own_tokens(), outputs, inputs);
}

void PartWriter::whole_backward(std::int64_t inputs, std::int64_t outputs) {
  gemm(steps.backward, Pass::input_gradient, own_tokens(), inputs, outputs);
  gemm(weights(), Pass::weight_gradient, inputs, outputs, own_tokens());
}

}  // namespace orrery
