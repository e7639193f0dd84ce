// Systems as the columns of a table.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "report/text_table.h"
#include "simulation/run_result.h"

namespace orrery {

using Systems = std::span<const RunResult>;
// The table of some of the systems; what must be the same in all tables is decided beforehand.
using TableOf = std::function<TextTable(Systems)>;

// As many systems beside each other as the width has room for, four at most, the rest below.
std::string side_by_side(Systems systems, std::size_t width, const TableOf& table_of);

}  // namespace orrery
