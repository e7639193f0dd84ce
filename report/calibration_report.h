// What `orrery calibrate` found, as text, and the file of the fitted efficiency, which is as those
// in platforms/efficiency.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulation/calibration/efficiency_fit.h"

namespace orrery {

// The parameters, the runs, and the mean errors.
std::string calibration_text(const EfficiencyFit& fit, const Calibration& found);

// A sentence for each parameter that the runs do not determine.
std::vector<std::string> undetermined_parameters(const EfficiencyFit& fit,
                                                 const Calibration& found);

// Every key of the efficiency that is not its default, line by line and exact.
std::string efficiency_keys_text(const EfficiencySpec& efficiency, const SoftwareKeys& software);

// What `platform.npu.efficiency: {preset: FILE}` reads. `runs_file`: the name of the file of timed
// runs.
std::string efficiency_file_text(const EfficiencyFit& fit, const Calibration& found,
                                 std::string_view runs_file);

}  // namespace orrery
