// What every report shows beside the fields of a RunResult, so that all of them agree.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "report/wrapped_text.h"
#include "simulation/run_result.h"

namespace orrery {

struct ReportOptions {
  bool all_links = false;             // else the busiest ones, most_links at most
  bool layers = false;                // text: the table of layers
  bool links = false;                 // text: the table of links, also if all_links
  std::size_t width = default_width;  // text: characters of a line
};
inline constexpr std::size_t most_links = 10;

// How many of a list of links or queues are shown.
std::size_t shown_count(std::size_t all, const ReportOptions& options);

// How busy the busiest link of a level was, 0..1 (more: contention that the backend does not
// model).
double busiest_link(const RunResult& result, const std::string& level);

// Links that were busy for nine tenths of the run, the busiest first.
std::vector<const LinkRow*> saturated_links(const RunResult& result);

std::span<const LinkRow> shown_links(const RunResult& result, const ReportOptions& options);

}  // namespace orrery
