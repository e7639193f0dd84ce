#include "workload/parallelism/stack_job.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "workload/graph/program.h"
#include "workload/parallelism/gradient_buckets.h"
#include "workload/parallelism/parameter_server.h"
#include "workload/workload.h"

namespace orrery {

namespace {

constexpr Pass passes[] = {Pass::forward, Pass::input_gradient, Pass::weight_gradient};

// Momentum with 4 B a parameter: gradient, momentum and parameter read, the latter two written.
constexpr Bytes momentum_traffic{20};

// Input gradient and weight gradient are products of the size of the forward one; each reads two of
// input, output and parameters and writes the third.
Compute work_of(const StackLayer& layer, const StackTraining& training, Pass pass) {
  std::int64_t elements = training.batch * (layer.inputs + layer.outputs) + layer.parameters;
  // Forward, batch norm reads and writes the outputs; backward it reads two tensors and writes one.
  if (layer.normalised && pass == Pass::forward) elements += 2 * training.batch * layer.outputs;
  if (layer.normalised && pass == Pass::input_gradient)
    elements += 3 * training.batch * layer.outputs;
  return {Flops{2 * training.batch * layer.multiply_adds}, training.element * elements,
          std::nullopt};
}

}  // namespace

std::vector<StackBucket> buckets_of(const StackTraining& training) {
  std::vector<std::int64_t> backwards;
  for (auto layer = training.layers.rbegin(); layer != training.layers.rend(); ++layer)
    backwards.push_back(layer->parameters);
  const std::int64_t enough =
      std::max<std::int64_t>(1, training.bucket.value / training.gradient_element.value);
  const std::vector<std::int64_t> sizes = bucket_sizes(backwards, enough);
  std::vector<StackBucket> buckets;
  std::size_t last = training.layers.size() - 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) continue;
    const std::size_t first = training.layers.size() - 1 - i;
    buckets.push_back({first, last, sizes[i]});
    last = first - 1;  // of the last bucket: not used again
  }
  return buckets;
}

TensorPart tensor_of(const StackTraining& training, const StackBucket& bucket, TensorWay way) {
  return TensorPart::of(static_cast<std::int64_t>(bucket.first_layer),
                        static_cast<std::int64_t>(training.layers.size()), way);
}

StackProgram::StackProgram(const StackTraining& training, Exchange exchange)
    : training_(training),
      buckets_(buckets_of(training)),
      exchange_(std::move(exchange)),
      under_way_(buckets_.size()) {}

std::int32_t StackProgram::rows() const {
  return static_cast<std::int32_t>(std::size(passes) * training_.layers.size() + buckets_.size() +
                                   1);
}

std::vector<Label> StackProgram::labels(const StackTraining& training, std::int32_t iterations) {
  const std::size_t buckets = buckets_of(training).size();
  std::vector<Label> labels;
  for (std::int32_t iteration = 0; iteration < iterations; ++iteration) {
    for (const StackLayer& layer : training.layers)
      for (const Pass pass : passes) labels.push_back({layer.name, iteration, pass});
    for (std::size_t bucket = 0; bucket < buckets; ++bucket)
      labels.push_back({"bucket " + std::to_string(bucket), iteration, Pass::none, "DP"});
    labels.push_back({"optimizer", iteration, Pass::none});
  }
  return labels;
}

std::int32_t StackProgram::bucket_row(std::size_t bucket) const {
  return iteration_ * rows() +
         static_cast<std::int32_t>(std::size(passes) * training_.layers.size() + bucket);
}

OperationId StackProgram::append(std::int32_t label, decltype(Operation::what) what) {
  const auto id = static_cast<OperationId>(operations_.size());
  operations_.push_back({.id = id, .label = label, .what = std::move(what)});
  return id;
}

void StackProgram::compute(std::size_t layer, Pass pass) {
  const auto column = std::ranges::find(passes, pass) - passes;
  const auto row =
      static_cast<std::int32_t>(layer * std::size(passes)) + static_cast<std::int32_t>(column);
  append(iteration_ * rows() + row, work_of(training_.layers[layer], training_, pass));
}

// Booked to the exchange, which was issued in an earlier iteration.
void StackProgram::wait_for(std::size_t bucket) {
  for (const OperationId exchange : std::exchange(under_way_[bucket], {}))
    append(operations_[exchange].label, Wait{exchange});
}

void StackProgram::forward() {
  for (std::size_t layer = 0; layer < training_.layers.size(); ++layer) {
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket)
      if (buckets_[bucket].first_layer <= layer && layer <= buckets_[bucket].last_layer)
        wait_for(bucket);
    compute(layer, Pass::forward);
  }
}

void StackProgram::backward() {
  std::size_t bucket = 0;
  for (std::size_t layer = training_.layers.size(); layer-- > 0;) {
    compute(layer, Pass::weight_gradient);
    if (buckets_[bucket].first_layer == layer) {
      under_way_[bucket] = exchange_(*this, bucket);
      if (!training_.overlap) wait_for(bucket);
      ++bucket;
    }
    if (layer > 0) compute(layer, Pass::input_gradient);
  }
}

void StackProgram::write(std::int32_t iterations) {
  for (iteration_ = 0; iteration_ < iterations; ++iteration_) {
    forward();
    backward();
    if (training_.servers.empty()) {  // else they take the step
      for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) wait_for(bucket);
      std::int64_t parameters = 0;
      for (const StackBucket& bucket : buckets_) parameters += bucket.parameters;
      append(iteration_ * rows() + rows() - 1,
             Compute{Flops{}, momentum_traffic * parameters, std::nullopt});
    }
  }
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) wait_for(bucket);
}

Job make_stack_job(const StackTraining& training, int levels, std::int32_t ranks,
                   std::int32_t iterations) {
  Job job;
  job.name = "data-parallel training";
  job.ranks = ranks;
  job.labels = StackProgram::labels(training, iterations);
  if (!training.servers.empty()) {
    job.operations = make_parameter_server_operations(training, ranks, iterations);
    return job;
  }
  std::vector<int> all;
  for (int level = 0; level < levels; ++level) all.push_back(level);
  job.communicators = {{"data", all}};
  const std::vector<StackBucket> buckets = buckets_of(training);
  StackProgram program(training, [&](StackProgram& writer, std::size_t bucket) {
    CollectiveCall call{};
    call.kind = Collective::all_reduce;
    call.size = training.gradient_element * buckets[bucket].parameters;
    call.tensor = tensor_of(training, buckets[bucket], TensorWay::push);
    return std::vector<OperationId>{writer.append(writer.bucket_row(bucket), call)};
  });
  program.write(iterations);
  job.operations = std::make_unique<ProgramSource>(ranks, Program(program.take_operations()));
  return job;
}

}  // namespace orrery
