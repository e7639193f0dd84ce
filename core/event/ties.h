// Which of the events of one picosecond goes first.
#pragma once

#include <cstdint>
#include <string_view>

namespace orrery {

enum class Ties : std::uint8_t {
  call,  // the one that was scheduled first
  seed   // drawn among those that different events scheduled (tie_shuffle.h)
};

struct TieOrder {
  Ties ties = Ties::call;
  std::uint64_t seed = 1, draw = 0;  // of a seed there are many orders
};

constexpr std::string_view name_of(Ties ties) { return ties == Ties::call ? "call" : "seed"; }

}  // namespace orrery
