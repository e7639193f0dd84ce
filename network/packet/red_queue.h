// Random early detection at one port: Floyd and Jacobson, IEEE/ACM ToN 1(4), 1993. Above the
// maximum every packet is picked ("gentle" is off).
#pragma once

#include <cmath>

#include "core/base/random.h"
#include "core/units/units.h"
#include "network/switch_spec.h"

namespace orrery {

class RedQueue {
 public:
  // A packet comes to a port where `waiting` bytes wait, and which was idle for `idle` packets'
  // time: is it picked, to be marked or dropped?
  bool picks(const SwitchSpec& spec, Bytes waiting, double idle, RandomStream& random) {
    if (idle > 0) average_ *= std::pow(1 - spec.red_weight, idle);
    average_ += spec.red_weight * (static_cast<double>(waiting.value) - average_);
    if (average_ < static_cast<double>(spec.red_minimum.value)) {
      since_last_ = -1;
      return false;
    }
    if (average_ >= static_cast<double>(spec.red_maximum.value)) {
      since_last_ = 0;
      return true;
    }
    return picks_between(spec, random);
  }

 private:
  // Equation 3 and 4 of the paper: the packets between two picked ones are uniformly distributed.
  bool picks_between(const SwitchSpec& spec, RandomStream& random) {
    ++since_last_;
    const double above = average_ - static_cast<double>(spec.red_minimum.value);
    const double between = static_cast<double>((spec.red_maximum - spec.red_minimum).value);
    const double base = spec.red_probability * above / between;
    const double left = 1 - static_cast<double>(since_last_) * base;
    const bool picked = left <= 0 || random.uniform() < base / left;
    if (picked) since_last_ = 0;
    return picked;
  }

  double average_ = 0;
  std::int64_t since_last_ = -1;  // packets since the last one picked
};

}  // namespace orrery
