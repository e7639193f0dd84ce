// Whether systems of a comparison fit into memory, as text.
#pragma once

#include <span>
#include <string>

#include "simulation/run_result.h"

namespace orrery {

// "92.63 GB, does not fit"; "-" if it is not known.
std::string memory_cell(const RunResult& result);

// Whether that of one is known.
bool any_memory(std::span<const RunResult> results);

// A line for each that does not.
std::string without_room_text(std::span<const RunResult> results);

}  // namespace orrery
