// What a result is the result of, in every JSON report: docs/results.md.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "simulation/run_result.h"

namespace orrery {

nlohmann::ordered_json provenance_json(const Provenance& provenance);

}  // namespace orrery
