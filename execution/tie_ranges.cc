#include "execution/tie_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "report/derived.h"

namespace orrery {

namespace {

// Up to 1.107 was measured on tori with few chunks: docs/models/analytical.md.
constexpr double close = 1.1;

std::vector<Experiment> shuffled(const Experiment& experiment, std::int32_t orders) {
  std::vector<Experiment> all(static_cast<std::size_t>(orders), experiment);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].ties = Ties::seed;
    all[i].tie_draw = i;
  }
  return all;
}

void include(TieRange& range, Duration finish) {
  range.least = std::min(range.least, finish);
  range.most = std::max(range.most, finish);
}

}  // namespace

void add_tie_ranges(std::span<const Experiment> experiments, std::int32_t orders,
                    const Terminal& terminal, std::vector<Outcome>& outcomes) {
  if (orders == 0) return;
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    Outcome& outcome = outcomes[i];
    if (!outcome.result || outcome.result->partial) continue;
    const Duration finish = outcome.result->finish;
    TieRange range{0, finish, finish};
    for (Outcome& other : simulate_all(shuffled(experiments[i], orders), terminal)) {
      if (!other.result || other.result->partial) {
        outcome.failure = std::move(other.failure);
        continue;
      }
      ++range.orders;
      include(range, other.result->finish);
    }
    if (range.orders > 0) outcome.result->over_ties = range;
    if (outcome.failure.exit_code == interrupted) return;
  }
}

void note_close_results(std::vector<Outcome>& outcomes) {
  std::vector<RunResult> results;
  for (const Outcome& outcome : outcomes)
    if (outcome.result) results.push_back(*outcome.result);
  const auto is_close = [&](const RunResult& result) {
    const std::optional<double> ratio = ratio_to_fastest(result, results);
    return ratio && *ratio > 1 && *ratio < close;
  };
  if (std::ranges::none_of(results, is_close)) return;
  for (Outcome& outcome : outcomes) {
    if (!outcome.result) continue;
    outcome.result->notices.push_back(fmt::format(
        "systems differ by less than {:.0f} %: the order of events of one picosecond can decide "
        "that (--ties 5 shows how much)",
        100 * (close - 1)));
    return;
  }
}

}  // namespace orrery
