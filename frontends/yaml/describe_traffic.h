// The keys of `traffic:`.
#pragma once

#include "frontends/yaml/keys.h"
#include "simulation/traffic_spec.h"

namespace orrery::yaml {

void describe_traffic(Keys& keys, TrafficSpec& traffic, const TopologySpec& topology,
                      bool topology_known);

}  // namespace orrery::yaml
