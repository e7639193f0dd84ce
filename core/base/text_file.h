// A whole file as text. Throws IoError, which names the file and the reason, if it cannot be read.
#pragma once

#include <string>

namespace orrery {

// A directory is an IoError too: it opens like a file, and reads as an empty one.
std::string read_text_file(const std::string& path);

}  // namespace orrery
