#include "core/base/random.h"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

#include "core/base/check.h"
#include "core/units/units.h"

namespace orrery {

namespace {

// FNV-1a, 64 bits.
std::uint64_t hash(std::string_view name) {
  std::uint64_t value = 0xcbf2'9ce4'8422'2325;
  for (const char c : name) {
    value = (value ^ static_cast<unsigned char>(c)) * 0x0000'0100'0000'01b3;
  }
  return value;
}

// ln(x) from IEEE basic operations alone, because the last bit of std::log depends on the C library
// and the processor. With x = 2^e * m and s = (m - 1) / (m + 1): ln m = 2 (s + s^3/3 + s^5/5 +
// ...); |s| < 0.172, so the terms left out are below 2^-60. REQUIRES: x > 0.
double natural_logarithm(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // in [0.5, 1)
  if (mantissa < 1 / std::numbers::sqrt2) {
    mantissa *= 2;
    --exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1);
  const double square = s * s;
  double series = 0;
  for (int power = 23; power >= 1; power -= 2) series = series * square + 1.0 / power;
  return exponent * std::numbers::ln2 + 2 * s * series;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) : key_{seed, hash(name)} {}

std::uint64_t RandomStream::next_u64() {
  if (used_ == 4) {
    const philox4x64_ctr_t counter = {{blocks_++, 0, 0, 0}};
    const philox4x64_key_t key = {{key_[0], key_[1]}};
    const philox4x64_ctr_t block = philox4x64(counter, key);
    block_ = {block.v[0], block.v[1], block.v[2], block.v[3]};
    used_ = 0;
  }
  return block_[used_++];
}

double RandomStream::uniform() { return static_cast<double>(next_u64() >> 11) * 0x1p-53; }

// Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019).
std::uint64_t RandomStream::uniform_int(std::uint64_t bound) {
  CHECK(bound > 0, "an empty range has no numbers");
  const std::uint64_t biased = (0 - bound) % bound;  // 2^64 mod bound: so many low halves too many
  while (true) {
    const auto product = static_cast<units_internal::Unsigned128>(next_u64()) * bound;
    if (static_cast<std::uint64_t>(product) >= biased) {
      return static_cast<std::uint64_t>(product >> 64);
    }
  }
}

double RandomStream::exponential(double mean) { return -mean * natural_logarithm(1 - uniform()); }

// Marsaglia's polar method: a uniform point of the unit disc, its radius stretched.
double RandomStream::normal() {
  while (true) {
    const double x = 2 * uniform() - 1;
    const double y = 2 * uniform() - 1;
    const double square = x * x + y * y;
    if (square >= 1 || square == 0) continue;
    return x * std::sqrt(-2 * natural_logarithm(square) / square);
  }
}

}  // namespace orrery
