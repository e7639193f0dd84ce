// What the ranks of a data-parallel job on a stack of layers have in common: the buckets in which
// gradients travel, and the program of a rank that trains.
//
// An iteration: forward through all layers, each after the exchange of its own parameters from the
// iteration before; backward, weight gradient before input gradient, each bucket exchanged as soon
// as its last gradient is there. Buckets are those of PyTorch's DistributedDataParallel (S. Li et
// al., VLDB 2020): gradients in the order of the backward pass fill one until it is large enough.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "system/job.h"
#include "workload/workload_spec.h"

namespace orrery {

struct StackBucket {
  std::size_t first_layer, last_layer;  // in forward order; complete after first_layer's backward
  std::int64_t parameters;
};

std::vector<StackBucket> buckets_of(const StackTraining& training);
// As what transports know a bucket.
TensorPart tensor_of(const StackTraining& training, const StackBucket& bucket, TensorWay way);

// Writes the operations of a rank that trains. What exchanges a bucket is appended by `exchange`,
// which returns the operations to wait for before its layers are used again.
class StackProgram {
 public:
  using Exchange = std::function<std::vector<OperationId>(StackProgram&, std::size_t bucket)>;

  StackProgram(const StackTraining& training, Exchange exchange);

  void write(std::int32_t iterations);

  OperationId append(std::int32_t label, decltype(Operation::what) what);
  // The row of a bucket's exchange in the iteration that is being written.
  std::int32_t bucket_row(std::size_t bucket) const;

  std::vector<Operation> take_operations() { return std::move(operations_); }
  // For each iteration: the layers' passes, then the buckets, then the optimizer.
  static std::vector<Label> labels(const StackTraining& training, std::int32_t iterations);

 private:
  void forward();
  void backward();
  void wait_for(std::size_t bucket);
  void compute(std::size_t layer, Pass pass);
  std::int32_t rows() const;

  const StackTraining& training_;
  std::vector<StackBucket> buckets_;
  Exchange exchange_;
  std::int32_t iteration_ = 0;
  std::vector<std::vector<OperationId>> under_way_;  // by bucket
  std::vector<Operation> operations_;
};

}  // namespace orrery
