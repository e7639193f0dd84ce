// The text of an efficiency file, as those in platforms/efficiency: what `orrery calibrate` writes
// and `platform.npu.efficiency: {preset: FILE}` reads.
#pragma once

#include <optional>
#include <string>

#include "system/compute/roofline.h"

namespace orrery {

// What the software does beside computing; nothing where no transformer was timed or they differ.
struct SoftwareKeys {
  std::optional<bool> overlap_gradient_sums, recompute_stops_early;
};

// Every key of the efficiency that is not its default, line by line and exact.
std::string efficiency_keys_text(const EfficiencySpec& efficiency, const SoftwareKeys& software);

}  // namespace orrery
