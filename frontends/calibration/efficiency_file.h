// The text of an efficiency file, as those in platforms/efficiency: what `orrery calibrate` writes
// and `platform.npu.efficiency: {preset: FILE}` reads.
#pragma once

#include <optional>
#include <string>

#include "system/compute/roofline.h"

namespace orrery {

// Every key of the efficiency that is not its default, line by line and exact.
// `overlap_gradient_sums`: what the software does beside computing; nothing where no transformer
// was timed or they differ.
std::string efficiency_keys_text(const EfficiencySpec& efficiency,
                                 std::optional<bool> overlap_gradient_sums);

}  // namespace orrery
