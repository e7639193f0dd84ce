// Max-min fair rates in exact rational arithmetic, by progressive filling: slow, obviously right,
// and sharing no code with the solver.
#pragma once

#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

namespace orrery::test {

__extension__ typedef __int128 Integer128;

class Rational {
 public:
  Rational(Integer128 numerator = 0, Integer128 denominator = 1)  // NOLINT: a number is one too
      : numerator_(numerator), denominator_(denominator) {
    Integer128 a = numerator < 0 ? -numerator : numerator, b = denominator;
    while (b != 0) {
      const Integer128 rest = a % b;
      a = b;
      b = rest;
    }
    if (a > 1) {
      numerator_ /= a;
      denominator_ /= a;
    }
  }
  Rational operator+(const Rational& o) const {
    return {plus(times(numerator_, o.denominator_), times(o.numerator_, denominator_)),
            times(denominator_, o.denominator_)};
  }
  Rational operator-(const Rational& o) const {
    return *this + Rational(-o.numerator_, o.denominator_);
  }
  Rational operator*(const Rational& o) const {
    return {times(numerator_, o.numerator_), times(denominator_, o.denominator_)};
  }
  Rational operator/(const Rational& o) const {  // o > 0
    return {times(numerator_, o.denominator_), times(denominator_, o.numerator_)};
  }
  bool operator<(const Rational& o) const {
    return times(numerator_, o.denominator_) < times(o.numerator_, denominator_);
  }
  bool operator==(const Rational& o) const = default;
  double value() const {
    return static_cast<double>(numerator_) / static_cast<double>(denominator_);
  }

 private:
  static Integer128 times(Integer128 a, Integer128 b) {
    Integer128 product = 0;
    if (__builtin_mul_overflow(a, b, &product)) throw std::overflow_error("128 bits");
    return product;
  }
  static Integer128 plus(Integer128 a, Integer128 b) {
    Integer128 sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) throw std::overflow_error("128 bits");
    return sum;
  }
  Integer128 numerator_, denominator_;
};

struct ExactFlow {
  std::vector<int> links;
  std::vector<Rational> shares;  // of the rate, on each of the links
  Rational weight = 1;
};

// All levels rise together; when a link is full, its flows stop.
inline std::vector<Rational> exact_max_min(const std::vector<Rational>& capacities,
                                           const std::vector<ExactFlow>& flows) {
  std::vector<Rational> rates(flows.size());
  std::vector<bool> stopped(flows.size(), false);
  for (std::size_t left = flows.size(); left > 0;) {
    std::optional<Rational> level;
    std::vector<std::optional<Rational>> full_at(capacities.size());
    for (std::size_t l = 0; l < capacities.size(); ++l) {
      Rational free = capacities[l], demand;
      for (std::size_t f = 0; f < flows.size(); ++f)
        for (std::size_t i = 0; i < flows[f].links.size(); ++i) {
          if (flows[f].links[i] != static_cast<int>(l)) continue;
          if (stopped[f])
            free = free - rates[f] * flows[f].shares[i];
          else
            demand = demand + flows[f].weight * flows[f].shares[i];
        }
      if (demand == Rational(0)) continue;
      full_at[l] = free / demand;
      if (!level || *full_at[l] < *level) level = full_at[l];
    }
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (stopped[f]) continue;
      bool stops = false;
      for (const int l : flows[f].links) stops = stops || (full_at[l] && *full_at[l] == *level);
      if (!stops) continue;
      rates[f] = *level * flows[f].weight;
      stopped[f] = true;
      --left;
    }
  }
  return rates;
}

}  // namespace orrery::test
