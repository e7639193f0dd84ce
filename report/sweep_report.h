// A sweep as sweep.csv, and for people.
#pragma once

#include <string>
#include <vector>

#include "report/sweep_row.h"

namespace orrery {

// DIR/sweep.csv; docs/results.md.
std::string sweep_csv(const std::vector<SweepRow>& rows);

// The same without what depends on the machine and the folder, for `collect`: sweeps of the same
// points by the same program give the same bytes. runs.csv; docs/results.md.
std::string runs_csv(const std::vector<SweepRow>& rows);
// A row for each run and kind of exposed time. kinds.csv.
std::string kinds_csv(const std::vector<SweepRow>& rows);

// For people: the varied keys, the time, what is exposed, and the ratio to the fastest. Points
// whose backend ignores something of their file have a mark, and above the table stands what.
std::string sweep_text(const std::string& name, const std::vector<SweepRow>& rows);

}  // namespace orrery
