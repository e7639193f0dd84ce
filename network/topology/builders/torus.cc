#include "network/topology/builders/torus.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/quoted.h"
#include "network/problems.h"
#include "network/topology/builders/cluster_graph.h"

namespace orrery {

SpecProblems problems_of(const TorusSpec& spec) {
  const std::size_t dimensions = spec.sizes.size();
  if (dimensions > 6)
    return {{"sizes", fmt::format("{} dimensions", dimensions), "write at most 6, or levels"}};
  SpecProblems problems;
  for (const auto& [key, count] : {std::pair{"kinds", spec.kinds.size()},
                                   {"bandwidth", spec.bandwidth.size()},
                                   {"latency", spec.latency.size()}})
    if (auto problem = problem_of_count(key, count, dimensions, "dimensions"))
      problems.push_back(*std::move(problem));
  for (const LevelKind kind : spec.kinds)
    if (kind != LevelKind::ring && kind != LevelKind::mesh)
      problems.push_back({"kinds", in_quotes(name_of(kind)) + " is no dimension of a torus",
                          "write ring or mesh, or use levels"});
  std::int64_t npus = 1;
  for (const std::int32_t size : spec.sizes) npus = std::min(npus * size, npus_at_most + 1);
  if (problems.empty() && npus > npus_at_most / static_cast<std::int64_t>(2 * dimensions))
    problems.push_back({"sizes",
                        fmt::format("so many NPUs in {} dimensions are too large", dimensions),
                        "make a dimension smaller"});
  return problems;
}

TopologySpec build_torus(const TorusSpec& spec) {
  CHECK(problems_of(spec).empty(), "{} dimensions", spec.sizes.size());
  TopologySpec topology;
  for (std::size_t d = 0; d < spec.sizes.size(); ++d)
    topology.levels.push_back({fmt::format("dimension {}", d + 1), one_for_each(spec.kinds, d),
                               spec.sizes[d], one_for_each(spec.bandwidth, d),
                               one_for_each(spec.latency, d), spec.scope});
  return topology;
}

}  // namespace orrery
