// Ranks that a list of runs claims.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "frontends/yaml/reader.h"
#include "workload/rank_claims.h"

namespace orrery::yaml {

// Appends what the list under `key` names to `ranks`, all ranks if there is no such key. Reports
// what is not there or taken, and then appends only part of it.
void claim(Reader& keys, RankClaims& claims, std::string_view key, const OneOrMore<RankRuns>& list,
           std::int32_t owner, std::vector<Rank>& ranks);

}  // namespace orrery::yaml
