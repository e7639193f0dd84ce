// Which parallel configurations of a transformer are to be looked at: what the section `search:` of
// an experiment says, as plain data.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/workload_spec.h"

namespace orrery {

// Values of the keys of workload.training of the same names. An empty list: those that
// simulation/search/search_space.h takes by itself.
struct SearchSpec {
  std::vector<std::int32_t> tensor, pipeline, context, expert, chunks;
  std::vector<std::int64_t> micro_batch;
  std::vector<PipelineSchedule> schedule;
  std::vector<Sharding> sharding;
  std::vector<Recompute> recompute;
  bool overlap_tensor = true;   // is tried too, where matrices are split
  bool overlap_experts = true;  // the same where experts are spread
  // Where all layers are computed again to fit, the fewest that do are tried too (fitting.h).
  bool fewest_layers_again = true;
};

// One of them. Data-parallel ranks are those that are left; everything else is as it is written.
struct ParallelChoice {
  std::int32_t tensor = 1, pipeline = 1, context = 1, expert = 1, chunks = 1;
  std::int64_t micro_batch = 1;
  PipelineSchedule schedule = PipelineSchedule::one_forward_one_backward;
  Sharding sharding = Sharding::none;
  Recompute recompute = Recompute::none;
  std::int32_t recompute_layers = 0;  // of `full`, the first of each chunk; 0 = as it is written
  bool overlap_tensor = false, overlap_experts = false;  // also where it is not written

  bool operator==(const ParallelChoice&) const = default;
};

}  // namespace orrery
