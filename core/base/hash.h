// FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/. It tells apart what people write; it
// does not resist somebody who looks for two texts of one hash.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery {

inline constexpr std::uint64_t hash_of_nothing = 0xCBF29CE484222325ULL;
// `before`: the hash of what comes before the text.
std::uint64_t hash_of(std::string_view text, std::uint64_t before = hash_of_nothing);

// The same as 16 hexadecimal digits.
std::string hash_text(std::string_view text);
std::string hash_text(std::uint64_t hash);

// The digest of numbers one after the other: equal ones give equal digests. Quicker than hash_of().
constexpr std::uint64_t mixed(std::uint64_t digest, std::uint64_t number) {
  digest = (digest ^ number) * 0x9E3779B97F4A7C15ULL;
  return digest ^ digest >> 29;
}

}  // namespace orrery
