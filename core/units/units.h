// Quantities the simulator computes with. Each is a distinct type around one 64-bit integer, so
// `bytes + bandwidth` or `Time + Time` does not compile.
//
//   Time       a point on the simulated clock, picoseconds since the start   range: 106 days
//   Duration   a signed span between two Times, picoseconds
//   Bytes      an amount of data
//   Bandwidth  bytes per second; 1 GB/s is 1e9 B/s, 1 GiB is 2^30 B, 400 Gb/s is 50e9 B/s
//   Flops      a count of floating-point operations
//   FlopRate   floating-point operations per second; 60 TFLOP/s is 60e12
//
// A time that 64 bits cannot hold is Time::never(), or the longest Duration.
//
// Rounding: only transfer_time() and compute_time() round, up to the next picosecond, once for the
// whole message or operation. Parsing and printing are in core/units/unit_text.h.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace orrery {

template <class Tag>
struct Quantity {
  std::int64_t value = 0;

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator-() const { return {-value}; }
  constexpr Quantity operator+(Quantity o) const { return {value + o.value}; }
  constexpr Quantity operator-(Quantity o) const { return {value - o.value}; }
  constexpr Quantity operator*(std::int64_t k) const { return {value * k}; }
  constexpr Quantity& operator+=(Quantity o) { return value += o.value, *this; }
  constexpr Quantity& operator-=(Quantity o) { return value -= o.value, *this; }
};

using Duration = Quantity<struct DurationTag>;
using Bytes = Quantity<struct BytesTag>;
using Bandwidth = Quantity<struct BandwidthTag>;
using Flops = Quantity<struct FlopsTag>;
using FlopRate = Quantity<struct FlopRateTag>;

struct Time {
  Duration since_start;

  constexpr auto operator<=>(const Time&) const = default;
  static constexpr Time never() { return {{std::numeric_limits<std::int64_t>::max()}}; }
};
// What would be later than the clock reaches is never(); an event for that time is refused.
constexpr Time operator+(Time t, Duration d) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(t.since_start.value, d.value, &sum)) return Time::never();
  return {{sum}};
}
constexpr Time& operator+=(Time& t, Duration d) { return t = t + d; }
constexpr Time operator-(Time t, Duration d) { return {t.since_start - d}; }
constexpr Duration operator-(Time a, Time b) { return a.since_start - b.since_start; }

constexpr Duration picoseconds(std::int64_t n) { return {n}; }
constexpr Duration nanoseconds(std::int64_t n) { return {n * 1'000}; }
constexpr Duration microseconds(std::int64_t n) { return {n * 1'000'000}; }
constexpr Duration milliseconds(std::int64_t n) { return {n * 1'000'000'000}; }
constexpr Bytes bytes(std::int64_t n) { return {n}; }
constexpr Bytes kibibytes(std::int64_t n) { return {n << 10}; }
constexpr Bytes mebibytes(std::int64_t n) { return {n << 20}; }
constexpr Bandwidth gigabytes_per_second(std::int64_t n) { return {n * 1'000'000'000}; }
constexpr Bandwidth gigabits_per_second(std::int64_t n) { return {n * 125'000'000}; }
constexpr Flops flops(std::int64_t n) { return {n}; }
constexpr FlopRate teraflops_per_second(std::int64_t n) { return {n * 1'000'000'000'000}; }

namespace units_internal {
__extension__ typedef unsigned __int128 Unsigned128;  // not ISO C++, but in every 64-bit compiler

// ceil(amount * 1e12 / rate). The product needs 128 bits: bytes * 1e12 leaves 64 at 9.2 MB.
constexpr Duration time_at_rate(std::int64_t amount, std::int64_t rate_per_second) {
  const auto product = static_cast<Unsigned128>(amount) * 1'000'000'000'000U;
  const auto rate = static_cast<Unsigned128>(rate_per_second);
  const auto time = (product + rate - 1) / rate;
  constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();
  return {time > static_cast<Unsigned128>(longest) ? longest : static_cast<std::int64_t>(time)};
}
}  // namespace units_internal

// Serialisation time of `size` at `rate`, rounded up. REQUIRES: size >= 0, rate > 0.
constexpr Duration transfer_time(Bytes size, Bandwidth rate) {
  return units_internal::time_at_rate(size.value, rate.value);
}

// Time of `work` at `rate`, rounded up. REQUIRES: work >= 0, rate > 0.
constexpr Duration compute_time(Flops work, FlopRate rate) {
  return units_internal::time_at_rate(work.value, rate.value);
}

static_assert(transfer_time(bytes(1), gigabits_per_second(400)) == picoseconds(20));
static_assert(transfer_time(mebibytes(1024), gigabytes_per_second(1)) ==
              picoseconds(1'073'741'824'000));

}  // namespace orrery
