// What a sweep's folder says, without its file.
#pragma once

#include <filesystem>
#include <string>

namespace orrery {

// How many points are done, what failed, and how long the rest will take at the pace so far.
std::string sweep_status_text(const std::filesystem::path& folder);

}  // namespace orrery
