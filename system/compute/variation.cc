#include "system/compute/variation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/base/check.h"
#include "core/base/random.h"
#include "core/units/range_error.h"
#include "core/units/unit_text.h"

namespace orrery {

namespace {

// The ranks whose numbers are least: each set of this size is equally likely.
std::vector<Rank> drawn_ranks(Share fraction, std::int32_t ranks, std::uint64_t seed,
                              std::size_t entry) {
  const std::int64_t count = (fraction.part * ranks + fraction.whole - 1) / fraction.whole;
  std::vector<std::pair<std::uint64_t, Rank>> order;
  for (Rank rank = 0; rank < ranks; ++rank) {
    RandomStream stream(seed, "straggler", {entry, static_cast<std::uint64_t>(rank)});
    order.emplace_back(stream.next_u64(), rank);
  }
  std::sort(order.begin(), order.end());
  std::vector<Rank> drawn;
  for (std::int64_t i = 0; i < count; ++i)
    drawn.push_back(order[static_cast<std::size_t>(i)].second);
  return drawn;
}

}  // namespace

// The integral of 1 - F(x)^n above 0 less that of F(x)^n below, F the distribution of one draw; by
// the trapezoidal rule, which is exact to ten digits for a function this smooth.
double mean_largest_normal(std::int32_t count) {
  constexpr double step = 1.0 / 64, end = 9;
  const auto none_above = [&](double x) {
    return std::pow(0.5 * std::erfc(-x / std::numbers::sqrt2), count);
  };
  double sum = (1 - 2 * none_above(0)) / 2;
  for (double x = step; x < end; x += step) sum += 1 - none_above(x) - none_above(-x);
  return sum * step;
}

std::string_view name_of(JitterDistribution distribution) {
  switch (distribution) {
    case JitterDistribution::uniform:
      return "uniform";
    case JitterDistribution::exponential:
      return "exponential";
    case JitterDistribution::normal:
      return "normal";
  }
  return "?";
}

std::string_view name_of(JitterDraw draw) {
  return draw == JitterDraw::operation ? "operation" : "iteration";
}

VariedCompute::VariedCompute(const ComputeModel& device, VariationSpec spec, std::int32_t ranks)
    : device_(device), spec_(std::move(spec)) {
  for (std::size_t entry = 0; entry < spec_.stragglers.size(); ++entry) {
    const StragglerSpec& straggler = spec_.stragglers[entry];
    CHECK(straggler.slowdown >= 1, "a slowdown of {}", straggler.slowdown);
    std::vector<Rank> slow = drawn_ranks(straggler.fraction, ranks, spec_.seed, entry);
    slow.insert(slow.end(), straggler.ranks.begin(), straggler.ranks.end());
    std::sort(slow.begin(), slow.end());
    slow.erase(std::unique(slow.begin(), slow.end()), slow.end());
    slowdowns_.resize(static_cast<std::size_t>(ranks));
    for (const Rank rank : slow) {
      CHECK(rank >= 0 && rank < ranks, "straggler {} among {} ranks", rank, ranks);
      slowdowns_[static_cast<std::size_t>(rank)].push_back(
          {Time{straggler.from}, straggler.slowdown});
    }
  }
}

double VariedCompute::jitter(const Occasion& occasion) const {
  if (!spec_.jitter) return 1;
  const JitterSpec& jitter = *spec_.jitter;
  const bool each = jitter.draw == JitterDraw::operation;
  RandomStream stream(spec_.seed, each ? "jitter of an operation" : "jitter of an iteration",
                      {static_cast<std::uint64_t>(occasion.rank),
                       static_cast<std::uint64_t>(each ? occasion.operation : occasion.iteration)});
  const double relative =
      static_cast<double>(jitter.relative.part) / static_cast<double>(jitter.relative.whole);
  switch (jitter.distribution) {
    case JitterDistribution::uniform:
      return 1 + relative * stream.uniform();
    case JitterDistribution::exponential:
      return 1 + relative * stream.exponential(1);
    case JitterDistribution::normal:
      return std::max(0.0, 1 + relative * stream.normal());
  }
  return 1;
}

Duration VariedCompute::time_on(const Occasion& occasion, const Compute& work) const {
  double factor = jitter(occasion);
  if (!slowdowns_.empty())
    for (const auto& [from, slowdown] : slowdowns_[static_cast<std::size_t>(occasion.rank)])
      if (occasion.begin >= from) factor *= slowdown;
  const Duration time = device_.time_on(occasion, work);
  if (factor == 1) return time;
  const double varied = static_cast<double>(time.value) * factor;
  constexpr double range = 0x1p63;
  if (!(varied < range))
    throw RangeError(fmt::format(
        "an operation of rank {} takes {}, times {:g} because of platform.npu.jitter or "
        "platform.npu.stragglers: longer than 106 days (2^63 ps): check these factors",
        occasion.rank, to_text(time), factor));
  return {std::llround(varied)};
}

std::string VariedCompute::why_ranks_differ() const {
  if (spec_.jitter && spec_.jitter->relative.part > 0) return "compute times vary (jitter)";
  const auto slow = [](const std::vector<Slowdown>& rank) { return !rank.empty(); };
  if (std::any_of(slowdowns_.begin(), slowdowns_.end(), slow))
    return "some ranks are slower than others (stragglers)";
  return "";
}

}  // namespace orrery
