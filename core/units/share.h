// A part of a whole as two integers, so that what is computed from it is exact: 20 of 132
// processors, 120 of 128 bytes.
#pragma once

#include <cstdint>
#include <limits>

#include "core/units/units.h"

namespace orrery {

struct Share {
  std::int64_t part = 0, whole = 1;  // 0 <= part <= whole, 0 < whole <= most_whole

  static constexpr std::int64_t most_whole = 1'000'000;
  constexpr bool operator==(const Share&) const = default;
};

// The amount of which `size` is the share, rounded up once: what must be carried so that `size` of
// it is data, the work that a peak could have done where `size` of it was done. REQUIRES:
// share.part > 0, size >= 0.
template <class Tag>
constexpr Quantity<Tag> whole_of(Quantity<Tag> size, Share share) {
  using Wide = units_internal::Unsigned128;
  const auto part = static_cast<Wide>(share.part);
  const Wide whole =
      (static_cast<Wide>(size.value) * static_cast<Wide>(share.whole) + part - 1) / part;
  if (whole > static_cast<Wide>(std::numeric_limits<std::int64_t>::max())) [[unlikely]]
    units_internal::leave_range(Tag::beyond);
  return {static_cast<std::int64_t>(whole)};
}

static_assert(whole_of(bytes(120), {120, 128}) == bytes(128));
static_assert(whole_of(bytes(121), {120, 128}) == bytes(130));  // 129.07 rounded up

// A part of a whole as a real number from 0 to 1, for what is drawn or averaged: a probability.
struct Fraction {
  double part = 0;

  constexpr Fraction() = default;
  constexpr Fraction(double value) : part(value) {}   // NOLINT(google-explicit-constructor)
  constexpr operator double() const { return part; }  // NOLINT(google-explicit-constructor)
};

}  // namespace orrery
