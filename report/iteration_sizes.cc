#include "report/iteration_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "report/numbers.h"

namespace orrery {

std::vector<std::vector<std::string>> with_sizes(const std::vector<std::string>& first,
                                                 std::span<const RunResult> all,
                                                 std::span<const RunResult> shown) {
  const auto tokens_of = [](const RunResult& run) { return run.training->tokens; };
  double most = 0;  // tokens a second
  for (const RunResult& run : all) {
    if (!run.training || run.partial || run.training->tokens_per_s <= 0) return {first};
    most = std::max(most, run.training->tokens_per_s);
  }
  if (std::ranges::adjacent_find(all, std::ranges::not_equal_to{}, tokens_of) == all.end())
    return {first};
  std::vector<std::string> tokens{"  tokens an iteration"}, ratios{"  of a token"};
  for (const RunResult& run : shown) {
    tokens.push_back(short_number(static_cast<double>(tokens_of(run))));
    ratios.push_back(fmt::format("{:.3f}", most / run.training->tokens_per_s));
  }
  return {first, std::move(tokens), std::move(ratios)};
}

}  // namespace orrery
