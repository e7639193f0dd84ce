// A sweep as sweep.csv, and for people.
#pragma once

#include <string>
#include <vector>

#include "report/sweep_row.h"

namespace orrery {

// DIR/sweep.csv; docs/results.md.
std::string sweep_csv(const std::vector<SweepRow>& rows);

struct SweepTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // a cell for each column; "": none
};
std::string csv_of(const SweepTable& table);

// The same without what depends on the machine and the folder, for `collect`: sweeps of the same
// points by the same program give the same bytes.
SweepTable runs_table(const std::vector<SweepRow>& rows);
// A row for each run and kind of exposed time.
SweepTable kinds_table(const std::vector<SweepRow>& rows);

// For people: the varied keys, the time, what is exposed, and the ratio to the fastest. Points
// whose backend ignores something of their file have a mark, and above the table stands what.
std::string sweep_text(const std::string& name, const std::vector<SweepRow>& rows);

// A sentence for each metric that no point has: the path of a row that is not there.
std::vector<std::string> empty_metrics(const std::vector<SweepRow>& rows);

}  // namespace orrery
