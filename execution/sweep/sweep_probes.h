// How long a sweep will take, by a few of its points.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "execution/sweep/loaded_sweep.h"

namespace orrery {

// Simulates the points of `probes` one after the other, each for half a minute at most. The text
// says what all `points` will take with so many at a time; nothing if it was interrupted.
std::optional<std::string> sweep_estimate(const LoadedSweep& probes, std::size_t points,
                                          std::size_t at_a_time);

}  // namespace orrery
