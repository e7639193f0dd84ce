// What a selection chose, for reports.
#pragma once

#include <vector>

#include "simulation/run_result.h"
#include "system/rank/selection.h"

namespace orrery {

std::vector<SelectedRow> selected_rows(const Selection& selection);

}  // namespace orrery
