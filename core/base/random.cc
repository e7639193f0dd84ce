#include "core/base/random.h"

#include <Random123/philox.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/base/elementary.h"
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

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name)
    : RandomStream(seed, name, {0, 0}) {}

RandomStream::RandomStream(std::uint64_t seed, std::string_view name,
                           std::array<std::uint64_t, 2> place)
    : key_{seed, hash(name)}, place_(place) {}

std::uint64_t RandomStream::next_u64() {
  if (used_ == 4) {
    const philox4x64_ctr_t counter = {{blocks_++, place_[0], place_[1], 0}};
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

// G. Marsaglia, W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000).
double RandomStream::gamma(double shape) {
  if (shape < 1) {
    const double larger = gamma(shape + 1);
    return larger * power(1 - uniform(), 1 / shape);
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (natural_logarithm(1 - uniform()) < x * x / 2 + d - d * v + d * natural_logarithm(v))
      return d * v;
  }
}

namespace {

double whole_power(double base, std::int64_t by) {
  double result = 1;
  for (; by > 0; by /= 2, base *= base)
    if (by % 2 == 1) result *= base;
  return result;
}

}  // namespace

// Where the variance is small, the first number whose cumulative probability exceeds a uniform one;
// else a normal number of the same mean and variance, rounded.
std::int64_t RandomStream::binomial(std::int64_t trials, double probability) {
  if (trials <= 0 || probability <= 0) return 0;
  if (probability >= 1) return trials;
  if (probability > 0.5) return trials - binomial(trials, 1 - probability);
  const double mean = static_cast<double>(trials) * probability;
  const double variance = mean * (1 - probability);
  if (variance >= 25) {
    const double drawn = std::nearbyint(mean + std::sqrt(variance) * normal());
    return std::clamp(static_cast<std::int64_t>(drawn), std::int64_t{0}, trials);
  }
  const double odds = probability / (1 - probability);
  double at = whole_power(1 - probability, trials), left = uniform();
  for (std::int64_t i = 0; i < trials; ++i) {
    if (left < at) return i;
    left -= at;
    at *= odds * static_cast<double>(trials - i) / static_cast<double>(i + 1);
  }
  return trials;
}

}  // namespace orrery
