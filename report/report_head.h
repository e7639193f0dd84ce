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

// A head has so many lines of 100 columns, with the title and what is said of backend and
// processor.
inline constexpr std::size_t most_head_lines = 8;

// Three lines, of which the last is so long that it can be wrapped into `lines_of_why`. REQUIRES:
// width >= 40, lines_of_why >= 1.
std::vector<HeadLine> head_lines(const RunResult& result, std::size_t width,
                                 std::size_t lines_of_why);

// The same, wrapped, below so many lines.
std::string head_text(const RunResult& result, std::size_t width, std::size_t lines_above);

}  // namespace orrery
