#include "network/fluid/connections.h"

#include <algorithm>

namespace orrery::fluid {

// SplitMix64's last step (S. Vigna).
std::size_t Connections::Hash::operator()(const Name& name) const {
  std::uint64_t x = static_cast<std::uint64_t>(static_cast<std::uint32_t>(name.source)) << 32 |
                    static_cast<std::uint32_t>(name.target);
  x += (static_cast<std::uint64_t>(static_cast<std::uint32_t>(name.connection)) << 1 |
        static_cast<std::uint64_t>(name.traffic_class == TrafficClass::highest)) *
       0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

bool Connections::enter(std::uint32_t slot, const Message& message) {
  if (message.connection < 0) return true;
  if (slot >= behind_.size()) behind_.resize(std::max<std::size_t>(slot + 1, 2 * behind_.size()));
  behind_[slot] = nobody;
  const auto [last, is_first] = last_.try_emplace(name_of(message), slot);
  if (!is_first) {
    behind_[last->second] = slot;
    last->second = slot;
  }
  return is_first;
}

std::uint32_t Connections::leave(std::uint32_t slot, const Message& message) {
  if (message.connection < 0) return nobody;
  if (behind_[slot] == nobody) last_.erase(name_of(message));
  return behind_[slot];
}

}  // namespace orrery::fluid
