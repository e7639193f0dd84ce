// A sweep whose points were read and checked. Who simulates them needs no file any more.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "report/sweep_row.h"

namespace orrery {

enum class PointOutput { folder, json };

// Simulates one point. PointOutput::folder: its tables and its result go to row.folder. json: its
// result goes to `json`. Messages go to `messages`. Returns an exit code.
using SimulatePoint = std::function<int(const SweepRow& row, PointOutput output, std::ostream& json,
                                        std::ostream& messages)>;

struct LoadedSweep {
  std::string name;
  std::vector<SweepRow> rows;  // of every point; status "not run"
  SimulatePoint simulate;
};

}  // namespace orrery
