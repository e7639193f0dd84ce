// Layers A, B and C, and the list of what a rank is asked to do with them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/workload/describe_job.h"
#include "workload/workload.h"

namespace orrery::test {

using Lines = std::vector<std::string>;
using Levels = std::vector<int>;

inline PassSpec pass(std::int64_t time, Collective kind, std::int64_t size) {
  PassSpec result;
  result.compute.measured = nanoseconds(time);
  result.collective = kind;
  result.size = bytes(size);
  return result;
}

// Every pass of every layer exchanges something; what a policy does not use must not appear.
inline LayerTable three_layers(ParallelismPolicy policy) {
  LayerTable table;
  table.policy = policy;
  std::int64_t n = 0;
  for (const char* name : {"A", "B", "C"}) {
    ++n;
    table.layers.push_back({.name = name,
                            .forward = pass(10 * n, Collective::all_gather, 100 + n),
                            .input_gradient = pass(10 * n + 1, Collective::reduce_scatter, 200 + n),
                            .weight_gradient = pass(10 * n + 2, Collective::all_reduce, 300 + n),
                            .update = nanoseconds(n)});
  }
  return table;
}

// On a platform of two levels.
inline Lines loop(const LayerTable& table, std::int32_t iterations, const Levels& dimensions = {}) {
  Job job = make_training_job(table, 2, 8, dimensions, iterations);
  return describe(job, 7);
}

}  // namespace orrery::test
