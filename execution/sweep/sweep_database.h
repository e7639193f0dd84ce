// The tables of a sweep as a database of SQLite 3.
#pragma once

#include <span>
#include <string>

#include "report/sweep_report.h"

namespace orrery {

// The bytes of the file. A column whose cells are all numbers is INTEGER or REAL, any other TEXT; a
// cell without a value is NULL. Throws IoError.
std::string database_of(std::span<const SweepTable> tables);

}  // namespace orrery
