// Several runs side by side, for a person to read: one column for each system. More systems than
// fit a terminal go into several tables below each other.
#pragma once

#include <span>
#include <string>

#include "report/derived.h"
#include "simulation/run_result.h"

namespace orrery {

std::string comparison_text(std::span<const RunResult> results, const ReportOptions& options = {});

}  // namespace orrery
