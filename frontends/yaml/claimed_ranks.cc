#include "frontends/yaml/claimed_ranks.h"

#include <cstddef>

namespace orrery::yaml {

void claim(Reader& keys, RankClaims& claims, std::string_view key, const OneOrMore<RankRuns>& list,
           std::int32_t owner, std::vector<Rank>& ranks) {
  if (!keys.given(key)) {
    if (const auto taken = claims.claim(key, claims.all(), owner, ranks)) keys.report(*taken);
    return;
  }
  for (std::size_t item = 0; item < list.values.size(); ++item)
    for (const auto& [first, last] : list.values[item].runs)
      if (const auto taken = claims.claim(item_key(key, item), {first, last}, owner, ranks))
        return keys.report(*taken);
}

}  // namespace orrery::yaml
