#include "frontends/yaml/describe_variation.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::yaml {

std::vector<Rank> ranks_of(const OneOrMore<RankRuns>& runs) {
  constexpr Rank beyond = 1 << 24;
  std::vector<Rank> ranks;
  for (const RankRuns& item : runs.values)
    for (const auto& [first, last] : item.runs)
      for (Rank rank = std::min(first, beyond); rank <= std::min(last, beyond); ++rank)
        ranks.push_back(rank);
  return ranks;
}

void check_straggler(Reader& keys, const StragglerSpec& straggler) {
  if (!keys.clean()) return;
  if (straggler.slowdown < 1)
    keys.wrong("slowdown", fmt::format("{} would make the ranks faster", straggler.slowdown),
               "write 1.2 for work that takes a fifth longer");
  if (keys.given("fraction") && straggler.fraction.part == 0)
    keys.wrong("fraction", "none of the ranks", "leave the entry out");
}

void check_straggler_ranks(Reader& platform, const VariationSpec& variation, std::int32_t npus) {
  for (std::size_t i = 0; i < variation.stragglers.size(); ++i) {
    const std::vector<Rank>& ranks = variation.stragglers[i].ranks;
    const auto last = std::max_element(ranks.begin(), ranks.end());
    if (last == ranks.end() || *last < npus) continue;
    const YamlNode& entry = platform.find("npu")->find("stragglers")->children[i];
    platform.wrong_at(entry.find("ranks")->place,
                      fmt::format("platform.npu.stragglers[{}].ranks", i),
                      fmt::format("there is no rank {}", *last),
                      fmt::format("the platform has ranks 0 to {}", npus - 1));
  }
}

}  // namespace orrery::yaml
