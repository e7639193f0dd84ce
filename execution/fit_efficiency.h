// Fits an efficiency by simulating the timed runs again and again.
#pragma once

#include "execution/exit_code.h"
#include "execution/terminal.h"
#include "simulation/calibration/efficiency_fit.h"

namespace orrery {

struct FitOutcome {
  ExitCode exit_code = ok;  // of a simulation that failed; its message has been printed
  Calibration calibration;  // if none did
};

FitOutcome fit_efficiency(const EfficiencyFit& fit, const Terminal& terminal);

}  // namespace orrery
