// A file read piece by piece, packed by gzip or plain: the contents tell, not the name.
#pragma once

#include <istream>
#include <memory>
#include <string>

namespace orrery {

// Throws IoError if the file cannot be opened. The stream throws ConfigError where the file is
// damaged or cut short.
std::unique_ptr<std::istream> unpacked_file(const std::string& path);

}  // namespace orrery
