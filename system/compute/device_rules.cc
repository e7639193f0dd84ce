// What a device's efficiency and its variation may be.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "system/problems.h"

namespace orrery {

namespace {

// "0.5 %", or as it is written, "1/300".
std::string text_of(Share share) {
  if (share.whole % 100 != 0) return fmt::format("{}/{}", share.part, share.whole);
  return fmt::format("{} %",
                     static_cast<double>(share.part) * 100 / static_cast<double>(share.whole));
}

}  // namespace

SpecProblems problems_of(const EfficiencySpec& efficiency) {
  SpecProblems problems;
  for (const auto& [key, share] : {std::pair{"matrix", efficiency.matrix},
                                   {"attention", efficiency.attention},
                                   {"memory", efficiency.memory}})
    if (share.part * 100 < share.whole)
      problems.push_back(
          {key, fmt::format("{} is out of range", text_of(share)), "it must be at least 1 %"});
  return problems;
}

SpecProblems problems_of(const StragglerSpec& straggler) {
  SpecProblems problems;
  if (straggler.slowdown < 1)
    problems.push_back({"slowdown",
                        fmt::format("{} would make the ranks faster", straggler.slowdown),
                        "write 1.2 for work that takes a fifth longer"});
  if (straggler.ranks.empty() && straggler.fraction.part == 0)
    problems.push_back({"fraction", "none of the ranks", "leave the entry out"});
  return problems;
}

SpecProblems problems_of(const VariationSpec& variation, std::int32_t npus) {
  SpecProblems problems;
  for (std::size_t i = 0; i < variation.stragglers.size(); ++i) {
    const std::string key = item_key("stragglers", i);
    add_below(problems, key, problems_of(variation.stragglers[i]));
    const std::vector<Rank>& ranks = variation.stragglers[i].ranks;
    const auto last = std::ranges::max_element(ranks);
    if (last == ranks.end() || *last < npus) continue;
    problems.push_back({key + ".ranks", fmt::format("there is no rank {}", *last),
                        fmt::format("the platform has ranks 0 to {}", npus - 1)});
  }
  return problems;
}

}  // namespace orrery
