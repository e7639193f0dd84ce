// Ranks that parts of a list claim for themselves, no rank by two of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/spec_problem.h"
#include "system/operation_source.h"

namespace orrery {

class RankClaims {
 public:
  // How messages speak: {"rank", "part"}, {"NPU", "job"}.
  struct Words {
    std::string_view rank, owner;
  };
  struct Run {
    Rank first, last;
  };

  RankClaims() = default;
  RankClaims(std::int32_t ranks, Words words) : words_(words), owner_of_rank_(ranks, -1) {}

  // Appends a run of ranks to `ranks`. If one is not there or taken, this is the problem of `key`,
  // and only those before it are appended.
  std::optional<SpecProblem> claim(std::string_view key, Run run, std::int32_t owner,
                                   std::vector<Rank>& ranks);
  // Appends `groups` groups of `size` ranks that follow each other and that nobody has, the first
  // such; the ranks are the owner's then. If there are fewer, this is the problem of `key`.
  // REQUIRES: size >= 1.
  std::optional<SpecProblem> claim_groups(std::string_view key, std::int32_t groups,
                                          std::int32_t size, std::int32_t owner,
                                          std::vector<Rank>& ranks);
  Run all() const { return {0, static_cast<Rank>(owner_of_rank_.size()) - 1}; }
  std::int32_t owner_of(Rank rank) const { return owner_of_rank_[rank]; }  // -1 = nobody's

 private:
  Words words_;
  std::vector<std::int32_t> owner_of_rank_;  // -1 = none yet
};

}  // namespace orrery
