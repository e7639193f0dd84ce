// The questions of a sweep's report. A section without figures has nothing to say.
#pragma once

#include <string>

#include "report/html/figure.h"
#include "report/sweep_view.h"

namespace orrery {

Section how_it_depends(const SweepView& view);
Section which_two_interact(const SweepView& view);
Section what_matters_most(const SweepView& view);
Section what_to_choose(const SweepView& view, const SweepManifest& sweep,
                       const std::string& against);
Section which_points(const SweepView& view, const SweepManifest& sweep, bool has_tables);

// "4.48 ms"; of repeats also how far they spread; "failed".
TableCell cell_of_result(const SweepView& view, const SweepCell& cell);

}  // namespace orrery
