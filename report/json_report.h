// Results for programs. The fields are a contract, docs/reference/results.md; they are declared
// with the rows (simulation/columns.h). Times are integer picoseconds, sizes bytes.
#pragma once

#include <span>
#include <string>

#include "report/derived.h"
#include "simulation/run_result.h"

namespace orrery {

// One object, schema "orrery.run/1".
std::string run_json(const RunResult& result, const ReportOptions& options);

// The same in one line.
std::string run_json_line(const RunResult& result, const ReportOptions& options);

// One object, schema "orrery.compare/1": `systems` lists the runs with their `ratio_to_fastest`.
std::string comparison_json(std::span<const RunResult> results, const ReportOptions& options);

}  // namespace orrery
