#include "simulation/sweep_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/elementary.h"
#include "core/base/random.h"

namespace orrery {

namespace {

std::string drawn(const SampledKey& key, RandomStream& stream) {
  if (!key.values.empty()) return key.values[stream.uniform_int(key.values.size())];
  const double share = stream.uniform();
  double number = key.from + (key.to - key.from) * share;
  if (key.is_logarithmic)
    number = key.from * exponential_of(share * natural_logarithm(key.to / key.from));
  else if (key.is_whole)
    number = key.from + std::floor(share * (key.to - key.from + 1));
  if (key.is_whole) return fmt::format("{:.0f}", std::clamp(std::round(number), key.from, key.to));
  const std::string text = rounded_text(key.kind, number).value_or("");
  const double rounded = sweep_value(text).number;
  if (rounded >= key.from && rounded <= key.to) return text;
  return *rounded_text(key.kind, rounded < key.from ? key.from : key.to);
}

}  // namespace

std::vector<std::vector<std::string>> drawn_samples(std::span<const SampledKey> keys,
                                                    std::size_t samples, std::uint64_t seed) {
  constexpr std::uint64_t most_attempts = 1000;  // in a row
  std::vector<std::vector<std::string>> found;
  std::set<std::vector<std::string>> known;
  while (found.size() < samples) {
    bool is_new = false;
    for (std::uint64_t attempt = 0; attempt < most_attempts && !is_new; ++attempt) {
      std::vector<std::string> sample;
      for (const SampledKey& key : keys) {
        RandomStream stream(seed, "sweep " + key.key, {found.size(), attempt});
        sample.push_back(drawn(key, stream));
      }
      is_new = known.insert(sample).second;
      if (is_new) found.push_back(std::move(sample));
    }
    if (!is_new) break;
  }
  return found;
}

}  // namespace orrery
