// A sweep as sweep.csv, and for people.
#pragma once

#include <string>
#include <vector>

#include "report/sweep_row.h"

namespace orrery {

// DIR/sweep.csv; docs/results.md.
std::string sweep_csv(const std::vector<SweepRow>& rows);

// For people: the varied keys, the time, what is exposed, and the ratio to the fastest. Points
// whose backend ignores something of their file have a mark, and above the table stands what.
std::string sweep_text(const std::string& name, const std::vector<SweepRow>& rows);

}  // namespace orrery
