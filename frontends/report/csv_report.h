// Results as tables for spreadsheets and data frames. The columns are a contract, docs/results.md;
// the first one is always `system`, so that tables of several runs can be put below each other.
// RFC 4180 quoting, lines end in '\n'.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "frontends/report/derived.h"
#include "simulation/run_result.h"

namespace orrery {

std::string csv_field(std::string_view text);  // quoted if need be

std::string summary_csv(std::span<const RunResult> results);  // a row for each system
std::string exposed_csv(std::span<const RunResult> results);
std::string layers_csv(std::span<const RunResult> results);
std::string levels_csv(std::span<const RunResult> results);
std::string links_csv(std::span<const RunResult> results, const ReportOptions& options);
std::string ranks_csv(std::span<const RunResult> results);
std::string jobs_csv(std::span<const RunResult> results);
std::string matrix_csv(std::span<const RunResult> results);
std::string activity_csv(std::span<const RunResult> results);
std::string link_activity_csv(std::span<const RunResult> results);
std::string depths_csv(std::span<const RunResult> results);
std::string flows_csv(std::span<const RunResult> results);

}  // namespace orrery
