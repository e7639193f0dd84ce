// Which measured efficiency (platforms/efficiency) is in force where a file names none: that of the
// newest era of the device, or of the measured device that is nearest to it.
#pragma once

#include <string_view>

#include "formats/yaml/yaml_node.h"
#include "simulation/experiment.h"

namespace orrery::yaml {

// Where the file names no efficiency and its workload has times to compute: adds the nearest one as
// a preset, and returns why this one. A transformer in 8 bits gets the device's peak in 8 bits,
// too, unless the file says a peak. `efficiency: none` becomes an empty map. What is added stands
// in `chosen`.
EfficiencyInForce choose_efficiency(YamlNode& root, const Source& chosen);

// The same with name and error of the preset that is there; `alone`: no key stands beside it.
void name_efficiency(EfficiencyInForce& in_force, std::string_view preset, bool alone);

}  // namespace orrery::yaml
