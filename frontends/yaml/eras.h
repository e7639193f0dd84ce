// Which measured efficiency (platforms/efficiency) is in force where a file names none: that of the
// newest era of the device, or of the measured device that is nearest to it.
//
// Nearest is the one whose 16-bit peak differs by the least factor; peaks grow by a factor of two
// to three with each generation. A device further than a factor of four from all of them is of none
// of these generations, and has no era.
#pragma once

#include <span>
#include <string_view>

#include "frontends/yaml/yaml_node.h"
#include "simulation/experiment.h"

namespace orrery::yaml {

struct Era {
  std::string_view name;
  double error;  // of iteration times: mean absolute error of the runs that were not fitted to
  int runs;      // as many of them
};
// Those of docs/validation.md, which has this table.
std::span<const Era> eras();

// Where the file names no efficiency and its workload has times to compute: adds the nearest one as
// a preset, and returns why this one. A transformer in 8 bits gets the device's peak in 8 bits,
// too, unless the file says a peak. `efficiency: none` becomes an empty map. What is added stands
// in `chosen`.
EfficiencyInForce choose_efficiency(YamlNode& root, const Source& chosen);

// The same with name and error of the preset that is there; `alone`: no key stands beside it.
void name_efficiency(EfficiencyInForce& in_force, std::string_view preset, bool alone);

}  // namespace orrery::yaml
