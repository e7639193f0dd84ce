// The network as a drawing in which equal nodes are one box; links are as wide as they are busy.
#pragma once

#include <cstddef>

#include "report/html/sections.h"

namespace orrery {

// REQUIRES: the result has `equal_links`.
Figure equal_parts_figure(const ReportedRun& run, std::size_t index);

}  // namespace orrery
