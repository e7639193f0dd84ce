// Programs of others that a command needs.
#pragma once

#include <string>
#include <vector>

namespace orrery {

// Waits for it. Returns its exit code; that of a signal is 128 + its number. Throws IoError where
// there is no such program; `remedy` says how to get it: "apt-get install parallel".
int run_program(std::vector<std::string> command, const char* remedy);

}  // namespace orrery
