#include "simulation/sweep_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/elementary.h"
#include "core/base/random.h"

namespace orrery {

namespace {

// Where `share` of the chance lies below it. REQUIRES: 0 <= share < 1.
std::string value_at(const SampledKey& key, double share) {
  if (!key.values.empty())
    return key.values[static_cast<std::size_t>(share * static_cast<double>(key.values.size()))];
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
        sample.push_back(key.values.empty() ? value_at(key, stream.uniform())
                                            : key.values[stream.uniform_int(key.values.size())]);
      }
      is_new = known.insert(sample).second;
      if (is_new) found.push_back(std::move(sample));
    }
    if (!is_new) break;
  }
  return found;
}

std::vector<std::vector<std::string>> latin_samples(std::span<const SampledKey> keys,
                                                    std::size_t samples, std::uint64_t seed) {
  std::vector<std::vector<std::string>> found(samples);
  for (const SampledKey& key : keys) {
    RandomStream stream(seed, "sweep " + key.key, {samples});
    std::vector<std::size_t> parts(samples);
    std::iota(parts.begin(), parts.end(), std::size_t{0});
    for (std::size_t left = samples; left > 1; --left)  // Fisher and Yates
      std::swap(parts[left - 1], parts[stream.uniform_int(left)]);
    for (std::size_t i = 0; i < samples; ++i)
      found[i].push_back(value_at(
          key, (static_cast<double>(parts[i]) + stream.uniform()) / static_cast<double>(samples)));
  }
  return found;
}

}  // namespace orrery
