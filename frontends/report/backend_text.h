// What the head of a report says about the model of the network.
#pragma once

#include <span>
#include <string>

#include "simulation/run_result.h"

namespace orrery {

// "backend: fluid, because messages share links between switches": if it was chosen. "IGNORED by
// the analytical backend in leaf-8: ...": if it leaves out what the file says.
std::string backend_text(const RunResult& result);

// The same of systems that are compared. What a system ignores stands behind "* ", as its mark in
// the table.
std::string backends_text(std::span<const RunResult> results);

}  // namespace orrery
