// What the head of a report says about the model of the network.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "simulation/run_result.h"

namespace orrery {

// "backend: fluid, because messages share links between switches": if it was chosen. "IGNORED by
// the analytical backend in leaf-8: ...": if it leaves out what the file says.
std::string backend_text(const RunResult& result);

// The same of systems that are compared. What a system ignores stands behind "* ", as its mark in
// the table.
std::string backends_text(std::span<const RunResult> results);

// "IGNORED by the analytical backend in 2 of 3 points: ...", a line or more; `where` is what
// follows the backend.
std::string ignored_text(std::string_view backend, std::string_view where,
                         std::span<const std::string> ignored);

}  // namespace orrery
