#include "frontends/yaml/describe_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "workload/rules/program_rules.h"

namespace orrery::yaml {
namespace {

// The ranks of one group, none of which is in an earlier one. Nothing if something is wrong.
std::vector<Rank> claim(Reader& keys, std::string_view key, std::span<const RankRuns> runs,
                        std::size_t first_item, const PlatformFacts& platform,
                        std::vector<bool>& taken) {
  std::vector<Rank> ranks;
  for (std::size_t item = 0; item < runs.size(); ++item)
    for (const auto& [first, last] : runs[item].runs) {
      if (last >= platform.npus) {
        keys.wrong_item(key, first_item + item, fmt::format("there is no rank {}", last),
                        fmt::format("the platform has ranks 0 to {}", platform.npus - 1));
        return {};
      }
      for (Rank rank = first; rank <= last; ++rank) {
        if (taken[rank]) {
          keys.wrong_item(key, first_item + item, fmt::format("rank {} is named twice", rank),
                          "a rank is in one group, once");
          return {};
        }
        taken[rank] = true;
        ranks.push_back(rank);
      }
    }
  if (ranks.size() == 1) {
    keys.wrong_item(key, first_item, fmt::format("rank {} is alone", ranks[0]),
                    "a group has two ranks at least");
    return {};
  }
  return ranks;
}

RankLists lists_of(Reader& keys, const GroupText& text, const PlatformFacts& platform) {
  std::vector<bool> taken(static_cast<std::size_t>(platform.npus));
  if (!text.ranks.values.empty())
    return {claim(keys, "ranks", text.ranks.values, 0, platform, taken)};
  RankLists lists;
  for (std::size_t i = 0; i < text.groups.size(); ++i) {
    lists.push_back(claim(keys, "groups", {&text.groups[i], 1}, i, platform, taken));
    if (lists.back().empty()) break;
  }
  return lists;
}

std::vector<Extent> extents_of(Reader& keys, const GroupText& text, const PlatformFacts& platform) {
  const auto& counts = text.count.values;
  std::vector<std::int32_t> strides = text.stride.values;
  if (strides.empty()) strides = {1};
  if (counts.size() != strides.size()) {
    keys.wrong(keys.given("stride") ? "stride" : "count",
               fmt::format("{} strides for {} counts", strides.size(), counts.size()),
               "write one stride for each count");
    return {};
  }
  std::vector<Extent> extents;
  for (std::size_t i = 0; i < counts.size(); ++i) extents.push_back({counts[i], strides[i]});
  std::sort(extents.begin(), extents.end(),
            [](const Extent& a, const Extent& b) { return a.stride < b.stride; });
  if (const auto problem = problem_of(extents, platform)) keys.report(*problem);
  return extents;
}

}  // namespace

Grouping grouping_of(Reader& keys, const GroupText& text, const PlatformFacts& platform) {
  if (!text.count.values.empty()) return extents_of(keys, text, platform);
  return lists_of(keys, text, platform);
}

}  // namespace orrery::yaml
