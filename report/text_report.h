// One run for a person to read. docs/how-to/read-the-text.md explains every line. Lines about the
// machine that simulated begin with "host:", so that golden tests can leave them out.
#pragma once

#include <string>

#include "report/derived.h"
#include "simulation/run_result.h"

namespace orrery {

std::string text_report(const RunResult& result, const ReportOptions& options);

}  // namespace orrery
