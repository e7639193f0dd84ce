#include "workload/rank_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace orrery {

std::optional<SpecProblem> RankClaims::claim(std::string_view key, Run run, std::int32_t owner,
                                             std::vector<Rank>& ranks) {
  const auto count = static_cast<std::int32_t>(owner_of_rank_.size());
  if (run.first < 0 || run.last >= count)
    return SpecProblem{
        std::string(key),
        fmt::format("there is no {} {}", words_.rank, run.first < 0 ? run.first : run.last),
        fmt::format("the platform has {}s 0 to {}", words_.rank, count - 1)};
  for (Rank rank = run.first; rank <= run.last; ++rank) {
    std::int32_t& current = owner_of_rank_[rank];
    if (current >= 0) {
      const std::string here = current == owner
                                   ? "named twice here"
                                   : fmt::format("already in {} [{}]", words_.owner, current);
      return SpecProblem{std::string(key), fmt::format("{} {} is {}", words_.rank, rank, here),
                         fmt::format("{} {} belongs to one {}", words_.rank == "NPU" ? "an" : "a",
                                     words_.rank, words_.owner)};
    }
    current = owner;
    ranks.push_back(rank);
  }
  return std::nullopt;
}

std::optional<SpecProblem> RankClaims::claim_groups(std::string_view key, std::int32_t groups,
                                                    std::int32_t size, std::int32_t owner,
                                                    std::vector<Rank>& ranks) {
  const auto count = static_cast<std::int32_t>(owner_of_rank_.size());
  std::vector<Rank> firsts;
  for (Rank first = 0; first + size <= count; first += size) {
    const auto begin = owner_of_rank_.begin() + first;
    if (std::all_of(begin, begin + size, [](std::int32_t of) { return of < 0; }))
      firsts.push_back(first);
  }
  const auto free = static_cast<std::int32_t>(firsts.size());
  if (free < groups)
    return SpecProblem{std::string(key),
                       fmt::format("{} of {} {}s each, and {} of the platform are left", groups,
                                   size, words_.rank, free),
                       free > 0 ? fmt::format("write at most {}, or a larger platform", free)
                                : "write a larger platform"};
  for (std::int32_t i = 0; i < groups; ++i)
    for (Rank rank = firsts[i]; rank < firsts[i] + size; ++rank) {
      owner_of_rank_[rank] = owner;
      ranks.push_back(rank);
    }
  return std::nullopt;
}

}  // namespace orrery
