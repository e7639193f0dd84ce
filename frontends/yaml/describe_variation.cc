#include "frontends/yaml/describe_variation.h"

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

}  // namespace orrery::yaml
