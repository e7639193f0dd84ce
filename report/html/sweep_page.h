// The report of a sweep: how its results depend on its keys, in charts with the tables behind them.
#pragma once

#include <string>

#include "report/sweep_manifest.h"

namespace orrery {

// `metric` "": the time, of flows their mean time. `against`: the second metric of the Pareto
// front; "": what varies of NPUs, memory, drops and exposed time. Throws IoError if no point has
// them, or none is done. `has_tables`: runs.csv lies beside the page. Points lead to
// SweepRow::page.
std::string sweep_page(const SweepManifest& sweep, const std::string& metric,
                       const std::string& against, bool has_tables);

}  // namespace orrery
