#include "core/base/elementary.h"

#include <cmath>
#include <numbers>

namespace orrery {

// With x = 2^e * m and s = (m - 1) / (m + 1): ln m = 2 (s + s^3/3 + s^5/5 + ...); |s| < 0.172, so
// the terms left out are below 2^-60.
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
  for (int odd = 23; odd >= 1; odd -= 2) series = series * square + 1.0 / odd;
  return exponent * std::numbers::ln2 + 2 * s * series;
}

// With x = n ln 2 + r, |r| <= 0.35: 2^n (1 + r (1 + r/2 (1 + r/3 ...))); 0.35^18 / 18! < 2^-78.
double exponential_of(double x) {
  const double n = std::nearbyint(x / std::numbers::ln2);
  const double r = x - n * std::numbers::ln2;
  double series = 1;
  for (int term = 17; term >= 1; --term) series = 1 + r / term * series;
  return std::ldexp(series, static_cast<int>(n));
}

double power(double base, double by) { return exponential_of(by * natural_logarithm(base)); }

}  // namespace orrery
