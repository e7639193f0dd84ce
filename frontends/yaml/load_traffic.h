// YAML file with `traffic:` -> what `orrery traffic` simulates. In load_experiment.cc.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "frontends/yaml/load_experiment.h"
#include "simulation/traffic_spec.h"

namespace orrery {

struct TrafficExperiment {
  Experiment experiment;  // without a workload
  TrafficSpec traffic;    // with times
};

// As load_experiment().
TrafficExperiment load_traffic(const std::string& path, const std::vector<Override>& overrides);

using LoadedFile = std::variant<Experiment, TrafficExperiment>;

// The one that the file has: a workload or flows. Throws like load_experiment().
LoadedFile load_job_or_flows(const std::string& path, const std::vector<Override>& overrides,
                             InputTexts& texts);

}  // namespace orrery
