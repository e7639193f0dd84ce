#include "core/base/hash.h"

#include <fmt/format.h>

namespace orrery {

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}

std::string hash_text(std::string_view text) { return fmt::format("{:016x}", hash_of(text)); }

}  // namespace orrery
