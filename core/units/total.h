// Sums over ranks, messages and iterations, which 64 bits may not hold: the bytes that a level
// carried, the picoseconds that all messages waited. 128 bits hold 2^63 sums of the largest
// quantity, so nothing here is checked.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "core/units/units.h"

namespace orrery {

template <class Q>
class Total {
 public:
  using Wide = units_internal::Signed128;

  constexpr Total() = default;
  constexpr Total(Q one) : Total(Wide{one.value}) {}  // every quantity is a total of one

  constexpr Total& operator+=(Total o) { return *this = Total(wide() + o.wide()); }
  constexpr Total& operator+=(Q one) {  // word by word: the counters of every message do it
    const bool carry = __builtin_add_overflow(low_, static_cast<std::uint64_t>(one.value), &low_);
    high_ += (one.value >> 63) + static_cast<std::int64_t>(carry);
    return *this;
  }
  constexpr Total& operator-=(Total o) { return *this = Total(wide() - o.wide()); }
  constexpr Total operator+(Total o) const { return Total(wide() + o.wide()); }
  constexpr Total operator-(Total o) const { return Total(wide() - o.wide()); }
  constexpr Total operator*(std::int64_t k) const { return Total(wide() * k); }
  constexpr bool operator==(const Total&) const = default;
  constexpr auto operator<=>(const Total& o) const { return wide() <=> o.wide(); }

  // The mean of `count` of them, rounded down. REQUIRES: count > 0, no sum below 0.
  constexpr Q mean(std::int64_t count) const { return {static_cast<std::int64_t>(wide() / count)}; }

  constexpr bool fits() const {  // in 64 bits
    return wide() == Wide{static_cast<std::int64_t>(low_)};
  }
  // Throws RangeError if it does not fit.
  constexpr Q narrow() const {
    if (!fits()) [[unlikely]]
      units_internal::leave_range("a sum goes beyond 2^63: simulate less work");
    return {static_cast<std::int64_t>(low_)};
  }
  constexpr double as_double() const { return static_cast<double>(wide()); }
  constexpr Wide wide() const { return static_cast<Wide>(high_) << 64 | low_; }

 private:
  constexpr explicit Total(Wide value)
      : low_(static_cast<std::uint64_t>(value)), high_(static_cast<std::int64_t>(value >> 64)) {}

  // Two words, because a 128-bit member would be aligned to 16 bytes.
  std::uint64_t low_ = 0;
  std::int64_t high_ = 0;
};

using TotalBytes = Total<Bytes>;
using TotalTime = Total<Duration>;
using TotalFlops = Total<Flops>;

namespace units_internal {
// ceil(amount * 1e12 / rate), nothing beyond the clock. Second by second and then within one,
// because the product of a total and 1e12 may leave 128 bits.
constexpr std::optional<Duration> time_of_total(Signed128 amount, std::int64_t rate) {
  constexpr Signed128 second = 1'000'000'000'000;
  const Signed128 seconds = amount / rate;
  if (seconds > Time::last().since_start.value / second) return std::nullopt;
  const Signed128 time = seconds * second + (amount % rate * second + rate - 1) / rate;
  if (time > Time::last().since_start.value) return std::nullopt;
  return Duration{static_cast<std::int64_t>(time)};
}
}  // namespace units_internal

// Serialisation time of `size` at `rate`, rounded up; nothing beyond the clock. REQUIRES: size >=
// 0, rate > 0.
constexpr std::optional<Duration> transfer_time_if_any(TotalBytes size, Bandwidth rate) {
  return units_internal::time_of_total(size.wide(), rate.value);
}
// The same, and of work; a RangeError beyond the clock.
constexpr Duration transfer_time(TotalBytes size, Bandwidth rate) {
  const std::optional<Duration> time = transfer_time_if_any(size, rate);
  if (!time) [[unlikely]]
    units_internal::leave_range(DurationTag::beyond);
  return *time;
}
constexpr Duration compute_time(TotalFlops work, FlopRate rate) {
  const auto time = units_internal::time_of_total(work.wide(), rate.value);
  if (!time) [[unlikely]]
    units_internal::leave_range(DurationTag::beyond);
  return *time;
}

}  // namespace orrery
