// Where this program lies: what is installed with it is found from there.
#pragma once

#include <filesystem>

namespace orrery {

// Absolute; in a root without /proc, the name by which the program was started.
std::filesystem::path program_file();

}  // namespace orrery
