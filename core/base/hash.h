// FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/. It tells apart what people write; it
// does not resist somebody who looks for two texts of one hash.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery {

std::uint64_t hash_of(std::string_view text);

// The same as 16 hexadecimal digits.
std::string hash_text(std::string_view text);

}  // namespace orrery
