// Whether what a run trained fits into the memory of its devices.
#pragma once

#include <optional>

#include "simulation/run_result.h"

namespace orrery {

// Of the fullest stage, by its bytes alone. Nothing of a run whose memory is not known.
std::optional<Bytes> fullest_memory(const RunResult& result);

// True where the memory, or what there is of it, is not known.
bool fits_memory(const RunResult& result);

}  // namespace orrery
