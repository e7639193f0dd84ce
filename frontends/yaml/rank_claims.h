// Ranks that parts of a list claim for themselves, no rank by two of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "frontends/yaml/reader.h"
#include "system/operation_source.h"

namespace orrery::yaml {

class RankClaims {
 public:
  // How messages speak: {"rank", "part"}, {"NPU", "job"}.
  struct Words {
    std::string_view rank, owner;
  };

  RankClaims() = default;
  RankClaims(std::int32_t ranks, Words words) : words_(words), owner_of_rank_(ranks, -1) {}

  // Appends what the list under `key` names to `ranks`, all ranks if there is no such key. Reports
  // what is not there or taken, and then appends only part of it.
  void claim(Reader& keys, std::string_view key, const OneOrMore<RankRuns>& list,
             std::int32_t owner, std::vector<Rank>& ranks);
  std::int32_t owner_of(Rank rank) const { return owner_of_rank_[rank]; }  // -1 = nobody's

 private:
  bool claim_run(Reader& keys, std::string_view key, std::size_t item, Rank first, Rank last,
                 std::int32_t owner, std::vector<Rank>& ranks);

  Words words_;
  std::vector<std::int32_t> owner_of_rank_;  // -1 = none yet
};

}  // namespace orrery::yaml
