// A point's columns as one line of JSON: what is kept of a point that has no folder.
#pragma once

#include <string>

#include "report/sweep_row.h"

namespace orrery {

// With its end. REQUIRES: status "ok".
std::string record_line(const SweepRow& row);

// The point's name, which is that of its folder; "" if it is no such line.
std::string point_of_record(const std::string& line);

// Fills the row from a line of this row's inputs by the same program; false if it is not.
bool read_record(SweepRow& row, const std::string& line);

}  // namespace orrery
