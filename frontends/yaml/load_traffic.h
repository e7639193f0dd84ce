// YAML file with `traffic:` -> what `orrery traffic` simulates.
#pragma once

#include <string>
#include <vector>

#include "frontends/yaml/load_experiment.h"
#include "simulation/traffic_spec.h"

namespace orrery {

struct TrafficExperiment {
  Experiment experiment;  // without a workload
  TrafficSpec traffic;
};

// As load_experiment().
TrafficExperiment load_traffic(const std::string& path, const std::vector<Override>& overrides);

}  // namespace orrery
