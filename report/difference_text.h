// What makes systems slower than the fastest of a comparison, part by part.
#pragma once

#include <cstddef>
#include <string>

#include "report/side_by_side.h"

namespace orrery {

// A table under an empty line; "" if no result has a difference (RunResult::difference).
std::string difference_text(Systems systems, std::size_t width);

}  // namespace orrery
