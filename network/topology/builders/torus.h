// A torus or mesh of 1 to 6 dimensions: short for levels, innermost first.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/spec_problem.h"
#include "network/topology/topology.h"

namespace orrery {

// Of the lists but `sizes`, one stands for all dimensions, or there is one for each.
struct TorusSpec {
  std::vector<std::int32_t> sizes;                // NPUs in each dimension
  std::vector<LevelKind> kinds{LevelKind::ring};  // ring or mesh
  std::vector<Bandwidth> bandwidth;               // of a link, in one direction
  std::vector<Duration> latency;
  Scope scope = Scope::scale_out;
};

SpecProblems problems_of(const TorusSpec& spec);
TopologySpec build_torus(const TorusSpec& spec);  // REQUIRES: problems_of() finds none

}  // namespace orrery
