// MLT: H. Wang et al., "Towards Domain-Specific Network Transport for Distributed DNN Training",
// NSDI 2024, as plain data. docs/models/mlt.md says what each setting does and where it is from.
#pragma once

#include <cstdint>

#include "core/units/share.h"
#include "core/units/units.h"

namespace orrery {

// By delay: what a round trip takes longer than an idle one.
struct MltRateSpec {
  Duration low = microseconds(20);            // below it the rate rises by a step
  Duration high = microseconds(50);           // above it, or marked, it falls by the factor
  Bandwidth step = gigabits_per_second(1);    // for each report
  Fraction factor = 0.8;                      // at most once in a round trip
  Bandwidth minimum = Bandwidth{12'500'000};  // never below: 100 Mb/s
  std::int32_t report_every = 16;             // packets that come
};

struct MltSpec {
  Share push = {0, 1}, pull = {0, 1};        // of a tensor's bytes, that may be missing
  Duration probe_after = microseconds(100);  // since the last packet was sent
  std::int32_t classes = 7;                  // of layers; a port has eight, one carries control
  static constexpr std::int32_t most_classes = 7;
  // Packets that a switch may drop early: those of the front layers that are small.
  Share front_layers = {1, 2};
  Fraction small = 0.9;  // of the packets of each tensor
  MltRateSpec rate = {};
};

}  // namespace orrery
