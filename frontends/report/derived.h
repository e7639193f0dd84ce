// What every report shows beside the fields of a RunResult, so that all of them agree.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "simulation/run_result.h"

namespace orrery {

struct ReportOptions {
  bool all_links = false;  // else the busiest ones, most_links at most
};
inline constexpr std::size_t most_links = 10;

// How many of a list of links or queues are shown.
std::size_t shown_count(std::size_t all, const ReportOptions& options);

// How busy the busiest link of a level was, 0..1 (more: contention that the backend does not
// model).
double busiest_link(const RunResult& result, const std::string& level);

// What the time is spent on, in a sentence: computing, a level that is full, or latency
// and limits where no link is. "" for a partial run or one that does not communicate.
std::string diagnosis(const RunResult& result);

// Links that were busy for nine tenths of the run, the busiest first.
std::vector<const LinkRow*> saturated_links(const RunResult& result);

std::span<const LinkRow> shown_links(const RunResult& result, const ReportOptions& options);

}  // namespace orrery
