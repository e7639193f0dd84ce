// What can be said of a topology by looking at its wires: for `orrery topo show` and `check`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "network/topology/topology.h"

namespace orrery {

struct Distances {
  std::int32_t diameter = 0;  // links between the two NPUs that are farthest apart
  bool exact = true;          // false: not all NPUs were looked from, it may be more
  // Pairs of NPUs without a path, among those looked at, and the first of them.
  std::int64_t unreachable = 0;
  NodeId from, to;
};
Distances survey_distances(const Topology& topology);

// What an NPU can send on a level: no more than all its links take together.
class PortSurvey {
 public:
  explicit PortSurvey(const Topology& topology);  // REQUIRES: topology outlives this.
  Bandwidth at(std::int32_t npu, int level) const;
  Bandwidth least(int level) const;  // of all NPUs

 private:
  const Topology& topology_;
  std::vector<Bandwidth> own_;  // of all links of an NPU
};

// The capacity between the two halves of the NPUs when some level is cut in the middle (of an odd
// level, through the group in the middle): the least over the levels, by maximum flow. For
// rings, tori and trees this is the bisection bandwidth; of any graph it is an upper bound of it.
struct Bisection {
  Bandwidth capacity;  // in one direction; 0 if it was not computed (too many links)
  // What the NPUs of the first half can send at once, to where it is cut: of NICs that they share,
  // their parts.
  Bandwidth injection;
  std::string cut;  // the level that was cut
  bool known = false;
};
Bisection survey_bisection(const Topology& topology);

// What is suspicious, a sentence each; empty if nothing is.
std::vector<std::string> find_suspicions(const Topology& topology);

}  // namespace orrery
