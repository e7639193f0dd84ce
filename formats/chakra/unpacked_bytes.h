// The bytes of a file that may be packed by gzip: unpacked as they are read, so that a small file
// cannot fill the memory. Whether it is packed is known from its first bytes, not from its name.
#pragma once

#include <istream>
#include <memory>
#include <string>
#include <string_view>

namespace orrery::chakra {

bool is_packed(std::string_view bytes);

// `bytes` outlives the stream. Reading throws ConfigError where a packed file is damaged or ends
// early; `file` is what messages call it.
std::unique_ptr<std::istream> unpacked(const std::string& file, std::string_view bytes);

}  // namespace orrery::chakra
