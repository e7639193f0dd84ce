// The first lines of a report: what an iteration costs, where its time goes, and why.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "simulation/run_result.h"

namespace orrery {

// A line, which is wrapped under its text if it is longer than the report is wide.
struct HeadLine {
  std::string name;  // "iteration", "time", "why"
  std::string text;
};

// At most six, and eight lines when they are wrapped at 100 columns.
std::vector<HeadLine> head_lines(const RunResult& result);

// The same, wrapped. Below the title.
std::string head_text(const RunResult& result, std::size_t width);

}  // namespace orrery
