#include "formats/chakra/trace_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

#include "core/base/config_error.h"
#include "formats/input/parsed_json.h"

namespace orrery::chakra {

namespace {

using Json = nlohmann::json;

std::vector<Rank> ranks_in(const std::string& file, const std::string& name, const Json& list) {
  constexpr std::int64_t kMost = 1 << 24;  // ranks of a job
  std::vector<Rank> ranks;
  for (const Json& rank : list) {
    if (!rank.is_number_integer() || rank.get<std::int64_t>() < 0 ||
        rank.get<std::int64_t>() >= kMost)
      throw ConfigError(
          {.file = file,
           .what = fmt::format("group {} holds {}, which is no rank", name, shown(rank)),
           .remedy = "list numbers from 0 on"});
    ranks.push_back(rank.get<Rank>());
  }
  std::ranges::sort(ranks);
  if (std::ranges::adjacent_find(ranks) != ranks.end())
    throw ConfigError({.file = file,
                       .what = fmt::format("group {} has a rank twice", name),
                       .remedy = "list each rank once"});
  return ranks;
}

// PyTorch writes a list within a text within a list: whatever is in there that has a name and
// ranks. A text within a text within ... ends with the first that holds no more.
void collect(const std::string& file, const Json& json, GroupRanks& groups) {
  if (json.is_string()) {
    const std::optional<Json> inner = inner_json(json.get<std::string>());
    if (inner && inner->is_structured()) collect(file, *inner, groups);
  } else if (json.is_object() && json.contains("pg_name") && json.contains("ranks")) {
    const Json& name = json["pg_name"];
    const std::string text = name.is_string() ? name.get<std::string>() : shown(name);
    if (json["ranks"].is_array()) groups[text] = ranks_in(file, text, json["ranks"]);
  } else if (json.is_array()) {
    for (const Json& one : json) collect(file, one, groups);
  }
}

// What makes two groups alike: how far their ranks are from the first.
std::vector<Rank> shape_of(const std::vector<Rank>& ranks) {
  std::vector<Rank> shape;
  for (const Rank rank : ranks) shape.push_back(rank - ranks.front());
  return shape;
}

bool overlap(const RankLists& lists, const std::vector<Rank>& ranks) {
  return std::ranges::any_of(lists, [&](const std::vector<Rank>& list) {
    return std::ranges::any_of(ranks,
                               [&](Rank rank) { return std::ranges::binary_search(list, rank); });
  });
}

// Lists of ranks at one distance that are all groups of an extent.
Grouping grouping_of(RankLists lists, std::int32_t ranks) {
  const auto count = static_cast<std::int32_t>(lists.front().size());
  const std::int32_t stride = lists.front()[1] - lists.front()[0];
  const bool regular = std::ranges::all_of(lists, [&](const std::vector<Rank>& list) {
    for (std::int32_t i = 0; i < count; ++i)
      if (list[i] != list[0] + i * stride) return false;
    return list[0] / stride % count == 0;
  });
  const auto groups = static_cast<std::int32_t>(lists.size());
  const std::vector<Extent> extents = {{count, stride}};
  if (regular && groups * count == ranks && divide(ranks, extents)) return extents;
  return lists;
}

std::vector<int> all_levels(int levels) {
  std::vector<int> all(static_cast<std::size_t>(levels));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Names that are numbers in the order of the numbers.
auto order_of(const UsedGroup& group) {
  const std::vector<Rank>& ranks = group.ranks;
  return std::tuple(shape_of(ranks), ranks.empty() ? 0 : ranks.front(), group.name.size(),
                    group.name, group.rows, group.few_bytes);
}

}  // namespace

GroupRanks read_groups(const std::string& file, const std::string& text) {
  const Json json = parsed_json(file, text, "the file of groups");
  if (!json.is_object())
    throw ConfigError({.file = file,
                       .what = "the groups are not a map",
                       .remedy = R"(write for example {"1": [0, 1], "2": [2, 3]})"});
  GroupRanks groups;
  for (const auto& [name, list] : json.items()) {
    if (!list.is_array())
      throw ConfigError({.file = file,
                         .what = fmt::format("group {} is no list of ranks", name),
                         .remedy = R"(write for example {"1": [0, 1], "2": [2, 3]})"});
    groups[name] = ranks_in(file, name, list);
  }
  return groups;
}

void add_groups(const std::string& file, const Node& node, GroupRanks& groups) {
  if (node.type == NodeType::metadata && node.name.find("process_group:init") != std::string::npos)
    collect(file, Json(node.inputs), groups);
}

TraceCommunicators::TraceCommunicators(const std::set<UsedGroup>& used, std::int32_t ranks,
                                       int levels) {
  std::vector<UsedGroup> groups(used.begin(), used.end());
  std::ranges::sort(groups, {}, order_of);
  std::vector<RankLists> lists;
  for (const UsedGroup& group : groups) {
    const std::vector<Rank>& members = group.ranks;
    const bool whole = members.empty() || static_cast<std::int32_t>(members.size()) == ranks;
    std::size_t index = communicators_.size();
    for (std::size_t i = 0; i < lists.size() && !whole; ++i)
      if (!lists[i].empty() && communicators_[i].rows == group.rows &&
          communicators_[i].few_bytes == group.few_bytes &&
          shape_of(lists[i].front()) == shape_of(members) && !overlap(lists[i], members))
        index = std::min(index, i);
    index_of_[group] = static_cast<std::int32_t>(index);
    if (index == communicators_.size()) {
      communicators_.push_back({group.name.empty() ? "all ranks" : "group " + group.name,
                                all_levels(levels), group.rows, group.few_bytes});
      lists.emplace_back();
    }
    if (!whole) lists[index].push_back(members);
  }
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (lists[i].empty()) continue;
    communicators_[i].groups = grouping_of(lists[i], ranks);
    if (lists[i].size() > 1)
      communicators_[i].name =
          fmt::format("{} and {} more", communicators_[i].name, lists[i].size() - 1);
  }
}

}  // namespace orrery::chakra
