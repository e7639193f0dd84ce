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
// A result that 64 bits cannot hold is a RangeError (core/units/range_error.h), in every build.
// Counters that add up over ranks, messages or iterations are Totals (core/units/total.h).
//
// Rounding: transfer_time(), compute_time() and whole_of() (core/units/share.h) round up to the
// next unit, once for the whole message or operation; ARCHITECTURE.md lists what else rounds.
// Parsing and printing are in core/units/unit_text.h.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace orrery {

// What a RangeError says of the dimension.
struct DurationTag {
  static constexpr const char* beyond =
      "the simulated time goes beyond 106 days (2^63 ps): simulate less work";
};
struct BytesTag {
  static constexpr const char* beyond =
      "a size goes beyond 2^63 bytes (9.2e18 B): check the sizes for a digit too many";
};
struct BandwidthTag {
  static constexpr const char* beyond =
      "a bandwidth goes beyond 2^63 bytes per second: check the bandwidths for a digit too many";
};
struct FlopsTag {
  static constexpr const char* beyond =
      "an amount of work goes beyond 2^63 FLOP: check the model's sizes for a digit too many";
};
struct FlopRateTag {
  static constexpr const char* beyond =
      "a compute rate goes beyond 2^63 FLOP/s: check platform.npu.peak for a digit too many";
};

namespace units_internal {
__extension__ typedef unsigned __int128 Unsigned128;  // not ISO C++, but in every 64-bit compiler
__extension__ typedef __int128 Signed128;

// Throws RangeError with that text.
[[noreturn, gnu::cold]] void leave_range(const char* beyond);
[[noreturn, gnu::cold]] void leave_range_at_rate(std::int64_t amount, std::int64_t rate_per_second,
                                                 bool of_bytes);
}  // namespace units_internal

template <class Tag>
struct Quantity {
  std::int64_t value = 0;

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator-() const { return Quantity{} - *this; }
  constexpr Quantity operator+(Quantity o) const {
    Quantity sum;
    if (__builtin_add_overflow(value, o.value, &sum.value)) [[unlikely]]
      units_internal::leave_range(Tag::beyond);
    return sum;
  }
  constexpr Quantity operator-(Quantity o) const {
    Quantity difference;
    if (__builtin_sub_overflow(value, o.value, &difference.value)) [[unlikely]]
      units_internal::leave_range(Tag::beyond);
    return difference;
  }
  constexpr Quantity operator*(std::int64_t k) const {
    Quantity product;
    if (__builtin_mul_overflow(value, k, &product.value)) [[unlikely]]
      units_internal::leave_range(Tag::beyond);
    return product;
  }
  constexpr Quantity& operator+=(Quantity o) { return *this = *this + o; }
  constexpr Quantity& operator-=(Quantity o) { return *this = *this - o; }
};

using Duration = Quantity<DurationTag>;
using Bytes = Quantity<BytesTag>;
using Bandwidth = Quantity<BandwidthTag>;
using Flops = Quantity<FlopsTag>;
using FlopRate = Quantity<FlopRateTag>;

struct Time {
  Duration since_start;

  constexpr auto operator<=>(const Time&) const = default;
  // Later than the clock reaches: no event is ever due then, and no sum is.
  static constexpr Time never() { return {{std::numeric_limits<std::int64_t>::max()}}; }
  // The last time that an event can have.
  static constexpr Time last() { return {{never().since_start.value - 1}}; }
};
constexpr Time operator+(Time t, Duration d) { return {t.since_start + d}; }
constexpr Time& operator+=(Time& t, Duration d) { return t = t + d; }
constexpr Time operator-(Time t, Duration d) { return {t.since_start - d}; }
constexpr Duration operator-(Time a, Time b) { return a.since_start - b.since_start; }

constexpr Duration picoseconds(std::int64_t n) { return {n}; }
constexpr Duration nanoseconds(std::int64_t n) { return Duration{1'000} * n; }
constexpr Duration microseconds(std::int64_t n) { return Duration{1'000'000} * n; }
constexpr Duration milliseconds(std::int64_t n) { return Duration{1'000'000'000} * n; }
constexpr Bytes bytes(std::int64_t n) { return {n}; }
constexpr Bytes kibibytes(std::int64_t n) { return Bytes{1 << 10} * n; }
constexpr Bytes mebibytes(std::int64_t n) { return Bytes{1 << 20} * n; }
constexpr Bandwidth gigabytes_per_second(std::int64_t n) { return Bandwidth{1'000'000'000} * n; }
constexpr Bandwidth gigabits_per_second(std::int64_t n) { return Bandwidth{125'000'000} * n; }
constexpr Flops flops(std::int64_t n) { return {n}; }
constexpr FlopRate teraflops_per_second(std::int64_t n) { return FlopRate{1'000'000'000'000} * n; }

namespace units_internal {
// ceil(amount * 1e12 / rate). The product needs 128 bits: bytes * 1e12 leaves 64 at 9.2 MB.
constexpr Duration time_at_rate(std::int64_t amount, std::int64_t rate_per_second, bool of_bytes) {
  const auto product = static_cast<Unsigned128>(amount) * 1'000'000'000'000U;
  const auto rate = static_cast<Unsigned128>(rate_per_second);
  const auto time = (product + rate - 1) / rate;
  if (time >= static_cast<Unsigned128>(std::numeric_limits<std::int64_t>::max())) [[unlikely]]
    leave_range_at_rate(amount, rate_per_second, of_bytes);
  return {static_cast<std::int64_t>(time)};
}
}  // namespace units_internal

// Serialisation time of `size` at `rate`, rounded up. REQUIRES: size >= 0, rate > 0.
constexpr Duration transfer_time(Bytes size, Bandwidth rate) {
  return units_internal::time_at_rate(size.value, rate.value, true);
}

// Time of `work` at `rate`, rounded up. REQUIRES: work >= 0, rate > 0.
constexpr Duration compute_time(Flops work, FlopRate rate) {
  return units_internal::time_at_rate(work.value, rate.value, false);
}

static_assert(transfer_time(bytes(1), gigabits_per_second(400)) == picoseconds(20));
static_assert(transfer_time(mebibytes(1024), gigabytes_per_second(1)) ==
              picoseconds(1'073'741'824'000));

}  // namespace orrery
