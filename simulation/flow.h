// A message of a traffic experiment: when it begins, how large it is, and between whom.
#pragma once

#include <optional>

#include "core/units/units.h"
#include "network/topology/graph_spec.h"

namespace orrery {

struct Flow {
  Time start;
  Bytes size;
  NodeId source, target;
  bool incast = false;
  std::optional<Time> finish = {};  // when it ended: TrafficSpec::ends
};

}  // namespace orrery
