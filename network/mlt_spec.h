// MLT: H. Wang et al., "Towards Domain-Specific Network Transport for Distributed DNN Training",
// NSDI 2024, as plain data. docs/models/mlt.md says what each setting does and where it is from.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/units/share.h"
#include "core/units/units.h"

namespace orrery {

// By delay: what a round trip takes longer than an idle one.
struct MltRateSpec {
  Duration low = microseconds(20);            // below it the rate rises by a step
  Duration high = microseconds(50);           // above it the rate falls
  Bandwidth step = gigabits_per_second(1);    // for each report
  Fraction factor = 0.8;                      // of TIMELY: to 1 - factor (1 - high / delay)
  Bandwidth minimum = Bandwidth{12'500'000};  // never below: 100 Mb/s
  std::int32_t report_every = 16;             // packets that come
};

// What a model needs that was trained with a part of its gradients missing, as the user knows it.
struct TrainingRounds {
  Share missing = {0, 1};  // of the data of gradients
  double rounds = 1;       // iterations until it is as good, for each that it takes without losses
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
  // Ascending by what is missing; linear between two points, constant before and behind them.
  std::vector<TrainingRounds> rounds = {};
};
// For each iteration without losses, where so much is missing; nothing, if there is no curve.
std::optional<double> rounds_at(const MltSpec& spec, double missing);

}  // namespace orrery
