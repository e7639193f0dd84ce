#include "core/base/hash.h"

#include <fmt/format.h>

namespace orrery {

std::uint64_t hash_of(std::string_view text, std::uint64_t before) {
  std::uint64_t hash = before;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}

std::string hash_text(std::string_view text) { return hash_text(hash_of(text)); }

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

}  // namespace orrery
