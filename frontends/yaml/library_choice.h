// Which communication library's measured protocols (system/measured_protocols.h) collectives pay
// for, where a file says nothing of what messages cost: that of the device, or of the measured
// device of its generation. The library goes with the preset of the device; without one, with the
// efficiency that is named or chosen. Devices whose library is no NCCL have none.
// docs/decisions/0016-protocols-come-with-the-device.md
#pragma once

#include "formats/yaml/yaml_node.h"
#include "simulation/experiment.h"

namespace orrery::yaml {

// Adds `system.library` where none of library, protocols, protocol: none, endpoint and
// local_endpoint is there. Says what is in force, and why if it was chosen. REQUIRES: after
// choose_efficiency(), while efficiencies are named. What is added stands in `chosen`.
ProtocolsInForce choose_library(YamlNode& root, const Source& chosen);

}  // namespace orrery::yaml
