// The page docs/reference/results.md: every field of result.json and every column of the CSV
// tables, as they are declared.
#pragma once

#include <string>

namespace orrery {

std::string result_page();

}  // namespace orrery
