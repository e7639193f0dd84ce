#include "workload/operation_counts.h"

#include <algorithm>
#include <variant>

#include "workload/graph/graph.h"

namespace orrery {
namespace {

double count(std::size_t operations) { return static_cast<double>(operations); }

struct Counter {
  double operator()(const DlrmSpec& spec) const {
    return count(spec.bottom_mlp.size() + spec.top_mlp.size());
  }
  double operator()(const LayerTableWorkload& spec) const {
    return count(spec.table.layers.size());
  }
  double operator()(const ProgramSpec& spec) const {
    double operations = 0;
    for (const ProgramSpec::Part& part : spec.parts) operations += count(part.steps.size());
    return operations;
  }
  double operator()(const TransformerWorkload& workload) const {
    return operations_at_least(workload);
  }
  double operator()(const StackTraining& spec) const { return count(spec.layers.size()); }
  double operator()(const GraphWorkload& spec) const {
    double operations = 0;
    for (const auto& graph : spec.graphs) operations += count(graph->size());
    return operations;
  }
  double operator()(const JobsSpec& spec) const {
    double operations = 0;
    for (const PlacedWorkload& job : spec.jobs)
      operations += operations_at_least(job.workload) * job.workload.iterations;
    return operations;
  }
};

}  // namespace

// Of a layer and micro-batch at least ten: a norm, two products and a residual in attention and in
// the MLP, and the backward pass of two products.
double operations_at_least(const TransformerWorkload& workload) {
  constexpr double of_layer = 10;
  const TransformerTraining& training = workload.training;
  const auto at_once = static_cast<double>(training.micro_batch) * training.data;
  return static_cast<double>(training.global_batch) / at_once *
         static_cast<double>(workload.model.layers) * of_layer;
}

double operations_at_least(const WorkloadSpec& workload) {
  return std::max(1.0, std::visit(Counter{}, workload.what));
}

}  // namespace orrery
