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

// At most four lines when they are wrapped at 100 columns: with the title and what is said of
// backend and processor a head has eight. REQUIRES: width >= 40.
std::vector<HeadLine> head_lines(const RunResult& result, std::size_t width);

// The same, wrapped. Below the title.
std::string head_text(const RunResult& result, std::size_t width);

}  // namespace orrery
