#include "workload/model/transformer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "workload/model/unfused_attention.h"

namespace orrery {

namespace {

// Writes the steps of one part; the functions are the layers of Megatron-LM.
class PartWriter {
 public:
  PartWriter(const TransformerSpec& model, const TransformerShard& shard)
      : model_(model),
        shard_(shard),
        tokens_(shard.micro_batch * model.sequence),
        scattered_(shard.sequence_parallel && shard.tensor > 1) {}

  PartSteps steps;

  void embedding();
  void attention();
  void mlp();
  void head();

 private:
  using Steps = std::vector<PartStep>;

  // Tokens of this rank outside the tensor-parallel regions.
  std::int64_t own_tokens() const { return scattered_ ? tokens_ / shard_.tensor : tokens_; }

  void gemm(Steps& to, Pass pass, std::int64_t rows, std::int64_t columns, std::int64_t depth);
  void memory(Steps& to, Pass pass, std::int64_t elements);
  std::int32_t exchange(Steps& to, Collective kind, std::int64_t width);
  void await(Steps& to, std::int32_t handle);
  void exchange_and_await(Steps& to, Collective kind, std::int64_t width) {
    await(to, exchange(to, kind, width));
  }

  void column_forward(std::int64_t inputs, std::int64_t own_outputs);
  void column_backward(std::int64_t inputs, std::int64_t own_outputs);
  void row_forward(std::int64_t own_inputs, std::int64_t outputs);
  void row_backward(std::int64_t own_inputs, std::int64_t outputs);
  void sum_outputs(Steps& to, std::int64_t width);
  void core_attention(Steps& to, Pass pass, std::int64_t tenths);
  void unfused_attention(Steps& to, Pass pass);

  const TransformerSpec& model_;
  const TransformerShard& shard_;
  std::int64_t tokens_;
  bool scattered_;
  std::int32_t handles_ = 0;
};

// None if a side is too long to have been timed.
MatrixShape shape_of(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  if (std::max({rows, columns, depth}) > std::numeric_limits<std::int32_t>::max()) return {};
  return {static_cast<std::int32_t>(rows), static_cast<std::int32_t>(columns),
          static_cast<std::int32_t>(depth)};
}

// Reads both factors and writes the product once.
void PartWriter::gemm(Steps& to, Pass pass, std::int64_t rows, std::int64_t columns,
                      std::int64_t depth) {
  const Flops flops{2 * rows * columns * depth};
  const Bytes traffic = model_.element * (rows * depth + depth * columns + rows * columns);
  Compute product{flops, traffic, std::nullopt};
  product.shape = shape_of(rows, columns, depth);
  to.push_back({pass, product});
}

void PartWriter::memory(Steps& to, Pass pass, std::int64_t elements) {
  to.push_back({pass, Compute{Flops{}, model_.element * elements, std::nullopt}});
}

std::int32_t PartWriter::exchange(Steps& to, Collective kind, std::int64_t width) {
  to.push_back(
      {Pass::none, PartStep::Exchange{kind, model_.element * (tokens_ * width), handles_}});
  return handles_++;
}

void PartWriter::await(Steps& to, std::int32_t handle) {
  to.push_back({Pass::none, PartStep::Await{handle}});
}

// Every rank has a partial sum of all outputs.
void PartWriter::sum_outputs(Steps& to, std::int64_t width) {
  if (shard_.tensor == 1) return;
  exchange_and_await(to, scattered_ ? Collective::reduce_scatter : Collective::all_reduce, width);
}

// A matrix cut by columns: all inputs are needed, each rank has some outputs.
void PartWriter::column_forward(std::int64_t inputs, std::int64_t own_outputs) {
  if (scattered_) exchange_and_await(steps.forward, Collective::all_gather, inputs);
  gemm(steps.forward, Pass::forward, tokens_, own_outputs, inputs);
}

// The input is gathered again beside the input gradient, and the input gradient is summed beside
// the weight gradient.
void PartWriter::column_backward(std::int64_t inputs, std::int64_t own_outputs) {
  Steps& weights = shard_.split_backward ? steps.weight_gradient : steps.backward;
  std::int32_t gathered = 0, summed = 0;
  if (scattered_) gathered = exchange(weights, Collective::all_gather, inputs);
  gemm(steps.backward, Pass::input_gradient, tokens_, inputs, own_outputs);
  if (scattered_) await(weights, gathered);
  if (shard_.tensor > 1)
    summed = exchange(steps.backward,
                      scattered_ ? Collective::reduce_scatter : Collective::all_reduce, inputs);
  gemm(weights, Pass::weight_gradient, inputs, own_outputs, tokens_);
  if (shard_.tensor > 1) await(steps.backward, summed);
}

// A matrix cut by rows: each rank has some inputs and a partial sum of all outputs.
void PartWriter::row_forward(std::int64_t own_inputs, std::int64_t outputs) {
  gemm(steps.forward, Pass::forward, tokens_, outputs, own_inputs);
  sum_outputs(steps.forward, outputs);
}

void PartWriter::row_backward(std::int64_t own_inputs, std::int64_t outputs) {
  Steps& weights = shard_.split_backward ? steps.weight_gradient : steps.backward;
  if (scattered_) exchange_and_await(steps.backward, Collective::all_gather, outputs);
  gemm(steps.backward, Pass::input_gradient, tokens_, own_inputs, outputs);
  gemm(weights, Pass::weight_gradient, own_inputs, outputs, tokens_);
}

// Scores and weighted values of a flash kernel: 4 b s^2 A / t operations, half of them if it leaves
// out what causality masks; no traffic of s x s. Backward it computes the scores again: 2.5 times
// the forward operations, given in tenths.
void PartWriter::core_attention(Steps& to, Pass pass, std::int64_t tenths) {
  if (model_.attention == AttentionKernel::unfused) return unfused_attention(to, pass);
  const std::int64_t width = model_.query_width() / shard_.tensor;
  const std::int64_t full = 4 * tokens_ * model_.sequence * width;
  const Flops flops{(model_.causal_kernel ? full / 2 : full) * tenths / 10};
  const std::int64_t elements =
      tokens_ * (2 * width + 2 * model_.key_value_width() / shard_.tensor);
  to.push_back({pass, Compute{flops, model_.element * elements, std::nullopt, Kernel::attention}});
}

// Selective recomputation keeps only queries, keys and values.
void PartWriter::unfused_attention(Steps& to, Pass pass) {
  const std::int64_t heads = model_.heads / shard_.tensor,
                     width = model_.query_width() / model_.heads;
  const UnfusedAttention kernels{tokens_, model_.sequence, heads, width, width, model_.element};
  if (pass == Pass::forward || shard_.recompute == Recompute::selective)
    for (const Compute& work : kernels.forward()) to.push_back({pass, work});
  if (pass != Pass::forward)
    for (const Compute& work : kernels.backward()) to.push_back({pass, work});
}

void PartWriter::attention() {
  const std::int64_t h = model_.hidden, t = shard_.tensor, query = model_.query_width() / t;
  const std::int64_t all = query + 2 * (model_.key_value_width() / t);
  memory(steps.forward, Pass::forward, 2 * own_tokens() * h);  // norm
  column_forward(h, all);
  core_attention(steps.forward, Pass::forward, 10);
  row_forward(query, h);
  memory(steps.forward, Pass::forward, 3 * own_tokens() * h);  // residual

  memory(steps.backward, Pass::input_gradient, 2 * own_tokens() * h);
  row_backward(query, h);
  core_attention(steps.backward, Pass::input_gradient, 25);
  column_backward(h, all);
  memory(steps.backward, Pass::input_gradient, 4 * own_tokens() * h);
}

void PartWriter::mlp() {
  const std::int64_t h = model_.hidden, inner = model_.mlp_width() / shard_.tensor;
  const std::int64_t matrices = model_.mlp_inputs();
  memory(steps.forward, Pass::forward, 2 * own_tokens() * h);  // norm
  column_forward(h, matrices * inner);
  memory(steps.forward, Pass::forward, (matrices + 1) * tokens_ * inner);  // activation
  row_forward(inner, h);
  memory(steps.forward, Pass::forward, 3 * own_tokens() * h);  // residual

  memory(steps.backward, Pass::input_gradient, 2 * own_tokens() * h);
  row_backward(inner, h);
  memory(steps.backward, Pass::input_gradient, (2 * matrices + 1) * tokens_ * inner);
  column_backward(h, matrices * inner);
  memory(steps.backward, Pass::input_gradient, 4 * own_tokens() * h);
}

// Each rank looks up the tokens of its part of the vocabulary; the others' rows are zero.
void PartWriter::embedding() {
  const std::int64_t h = model_.hidden;
  memory(steps.forward, Pass::forward, 2 * tokens_ * h);
  sum_outputs(steps.forward, h);
  Steps& weights = shard_.split_backward ? steps.weight_gradient : steps.backward;
  if (scattered_) exchange_and_await(weights, Collective::all_gather, h);
  memory(weights, Pass::weight_gradient, 3 * tokens_ * h);
}

// Final norm, logits cut by vocabulary, and the cross entropy over all parts of it: maximum, target
// and sum of exponentials of each token are summed over the group in single precision; fused, the
// last two together.
void PartWriter::head() {
  const std::int64_t h = model_.hidden, own = model_.vocabulary / shard_.tensor;
  constexpr Bytes single{4};
  const std::int64_t logits = tokens_ * own * single.value / model_.element.value;
  memory(steps.forward, Pass::forward, 2 * own_tokens() * h);
  column_forward(h, own);
  memory(steps.forward, Pass::forward, 2 * logits);
  const std::vector<int> sums =
      shard_.fused_cross_entropy ? std::vector{1, 2} : std::vector{1, 1, 1};
  for (std::size_t i = 0; i < sums.size() && shard_.tensor > 1; ++i) {
    const Bytes size = single * (tokens_ * sums[i]);
    steps.forward.push_back(
        {Pass::none, PartStep::Exchange{Collective::all_reduce, size, handles_}});
    await(steps.forward, handles_++);
  }
  memory(steps.backward, Pass::input_gradient, 2 * logits);
  column_backward(h, own);
  memory(steps.backward, Pass::input_gradient, 4 * own_tokens() * h);
}

// A layer's forward pass again, with its communication.
void put_forward_before_backward(PartSteps& steps) {
  std::vector<PartStep> again = steps.forward;
  std::int32_t most = 0;
  for (const PartStep& step : steps.backward)
    if (const auto* exchange = std::get_if<PartStep::Exchange>(&step.what))
      most = std::max(most, exchange->handle + 1);
  for (PartStep& step : again) {
    if (auto* exchange = std::get_if<PartStep::Exchange>(&step.what)) exchange->handle += most;
    if (auto* await = std::get_if<PartStep::Await>(&step.what)) await->handle += most;
    if (step.pass == Pass::forward) step.pass = Pass::input_gradient;
  }
  steps.backward.insert(steps.backward.begin(), again.begin(), again.end());
}

}  // namespace

std::string_view name_of(TransformerPart part) {
  switch (part) {
    case TransformerPart::embedding:
      return "embedding";
    case TransformerPart::attention:
      return "attention";
    case TransformerPart::mlp:
      return "mlp";
    case TransformerPart::head:
      return "head";
  }
  return "?";
}

PartSteps transformer_part(TransformerPart part, const TransformerSpec& model,
                           const TransformerShard& shard) {
  PartWriter writer(model, shard);
  switch (part) {
    case TransformerPart::embedding:
      writer.embedding();
      break;
    case TransformerPart::attention:
      writer.attention();
      break;
    case TransformerPart::mlp:
      writer.mlp();
      break;
    case TransformerPart::head:
      writer.head();
      break;
  }
  const bool is_layer = part == TransformerPart::attention || part == TransformerPart::mlp;
  if (is_layer && shard.recompute == Recompute::full) put_forward_before_backward(writer.steps);
  return std::move(writer.steps);
}

std::int64_t replicated_parameters(TransformerPart part, const TransformerSpec& model) {
  return part == TransformerPart::embedding ? 0 : model.hidden;
}

std::int64_t parameters(TransformerPart part, const TransformerSpec& model, std::int32_t tensor) {
  const std::int64_t h = model.hidden;
  std::int64_t matrices = 0;
  switch (part) {
    case TransformerPart::embedding:
    case TransformerPart::head:
      matrices = model.vocabulary * h;
      break;
    case TransformerPart::attention:
      matrices = h * (2 * model.query_width() + 2 * model.key_value_width());
      break;
    case TransformerPart::mlp:
      matrices = (model.mlp_inputs() + 1) * h * model.mlp_width();
      break;
  }
  return matrices / tensor + replicated_parameters(part, model);
}

}  // namespace orrery
