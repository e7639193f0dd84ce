// What is wrong with a job that is made of graphs.
#include <fmt/format.h>

#include "workload/problems.h"

namespace orrery {

SpecProblems problems_of(const GraphWorkload& workload, const PlatformFacts& platform) {
  const std::size_t ranks = workload.graph_of_rank.size();
  if (!platform.known || ranks == static_cast<std::size_t>(platform.npus)) return {};
  return {{"trace", fmt::format("the trace has {} ranks and runs on {} NPUs", ranks, platform.npus),
           ranks == 1
               ? fmt::format("write \"replicate: {}\", or choose as many NPUs", platform.npus)
               : "choose as many NPUs"}};
}

}  // namespace orrery
