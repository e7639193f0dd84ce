#include "frontends/yaml/rank_claims.h"

#include <fmt/format.h>

#include <cstddef>

namespace orrery::yaml {

void RankClaims::claim(Reader& keys, std::string_view key, const OneOrMore<RankRuns>& list,
                       std::int32_t owner, std::vector<Rank>& ranks) {
  if (!keys.given(key)) {
    const auto last = static_cast<Rank>(owner_of_rank_.size()) - 1;
    claim_run(keys, key, 0, 0, last, owner, ranks);
    return;
  }
  for (std::size_t item = 0; item < list.values.size(); ++item)
    for (const auto& [first, last] : list.values[item].runs)
      if (!claim_run(keys, key, item, first, last, owner, ranks)) return;
}

bool RankClaims::claim_run(Reader& keys, std::string_view key, std::size_t item, Rank first,
                           Rank last, std::int32_t owner, std::vector<Rank>& ranks) {
  const auto count = static_cast<std::int32_t>(owner_of_rank_.size());
  if (last >= count) {
    keys.wrong_item(key, item, fmt::format("there is no {} {}", words_.rank, last),
                    fmt::format("the platform has {}s 0 to {}", words_.rank, count - 1));
    return false;
  }
  for (Rank rank = first; rank <= last; ++rank) {
    std::int32_t& current = owner_of_rank_[rank];
    if (current >= 0) {
      const std::string here = current == owner
                                   ? "named twice here"
                                   : fmt::format("already in {} [{}]", words_.owner, current);
      keys.wrong_item(key, item, fmt::format("{} {} is {}", words_.rank, rank, here),
                      fmt::format("{} {} belongs to one {}", words_.rank == "NPU" ? "an" : "a",
                                  words_.rank, words_.owner));
      return false;
    }
    current = owner;
    ranks.push_back(rank);
  }
  return true;
}

}  // namespace orrery::yaml
