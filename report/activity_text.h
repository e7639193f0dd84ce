// Levels and busy links over time, drawn with characters for a terminal.
#pragma once

#include <string>

#include "simulation/run_result.h"

namespace orrery {

// "" unless the run was asked for it (--activity).
std::string activity_text(const RunResult& result);

}  // namespace orrery
