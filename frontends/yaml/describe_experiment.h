// The keys of an experiment file.
#pragma once

#include <cstdint>
#include <optional>

#include "frontends/yaml/keys.h"
#include "frontends/yaml/platform_facts.h"
#include "simulation/experiment.h"

namespace orrery::yaml {

class Reader;

// A model needs a device to be timed on.
void check_device(Reader& root, const Experiment& experiment);

// All but the workload. Returns what a workload must agree with.
PlatformFacts describe_cluster(Keys& keys, Experiment& experiment,
                               std::optional<std::int32_t> ranks = std::nullopt);

void describe_experiment(Keys& keys, Experiment& experiment);

}  // namespace orrery::yaml
