// Random values of a sweep's keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simulation/sweep_value.h"

namespace orrery {

// Values to choose from, or else a range, whose ends belong to it.
struct SampledKey {
  std::string key;
  std::vector<std::string> values = {};
  SweepValueKind kind = SweepValueKind::number;
  double from = 0, to = 0;
  bool is_logarithmic = false;  // every factor as likely as every other; REQUIRES: from > 0
  bool is_whole = false;        // a number without decimals
};

// `samples` different combinations, a value for each key in the order of `keys`; fewer if no more
// are found. What a key gets depends on the seed, its name and the sample's number, so that more
// samples keep the first ones.
std::vector<std::vector<std::string>> drawn_samples(std::span<const SampledKey> keys,
                                                    std::size_t samples, std::uint64_t seed);

// A Latin hypercube (McKay, Beckman, Conover 1979): the range of each key is cut into `samples`
// parts of equal chance, each of which has one value, in an order of its own by the seed. Values of
// a list are taken equally often, or once more. REQUIRES: samples > 0.
std::vector<std::vector<std::string>> latin_samples(std::span<const SampledKey> keys,
                                                    std::size_t samples, std::uint64_t seed);

}  // namespace orrery
