#include "workload/rules/program_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "system/pair_sizes.h"
#include "workload/problems.h"
#include "workload/rank_claims.h"

namespace orrery {

std::int32_t smallest_group(const Grouping& grouping, const PlatformFacts& platform) {
  std::int32_t members = platform.npus;
  if (const auto* levels = std::get_if<std::vector<int>>(&grouping)) {
    members = 1;
    for (const int level : *levels) members *= platform.levels[level].size;
  } else if (const auto* extents = std::get_if<std::vector<Extent>>(&grouping)) {
    members = 1;
    for (const Extent& extent : *extents) members *= extent.count;
  } else {
    for (const auto& ranks : std::get<RankLists>(grouping))
      members = std::min(members, static_cast<std::int32_t>(ranks.size()));
  }
  return members;
}

std::optional<SpecProblem> problem_of_partner(std::string_view key, Rank partner, bool itself,
                                              const PlatformFacts& platform) {
  if (partner < 0 || partner >= platform.npus)
    return SpecProblem{std::string(key), fmt::format("there is no rank {}", partner),
                       fmt::format("the platform has ranks 0 to {}", platform.npus - 1)};
  if (itself)
    return SpecProblem{std::string(key), fmt::format("rank {} does this operation itself", partner),
                       "a rank cannot exchange a message with itself: put it in another part"};
  return std::nullopt;
}

std::optional<SpecProblem> problem_of_root(std::int32_t root, std::int32_t members) {
  if (root >= 0 && root < members) return std::nullopt;
  return SpecProblem{"root", fmt::format("there is no position {}", root),
                     fmt::format("the ranks that take part have positions 0 to {}", members - 1)};
}

std::optional<SpecProblem> problem_of(std::span<const Extent> extents,
                                      const PlatformFacts& platform) {
  if (std::ranges::all_of(extents, [](const Extent& extent) { return extent.count == 1; }))
    return SpecProblem{"count", "a group of one rank has no one to talk to", "write 2 or more"};
  if (!divide(platform.npus, extents))
    return SpecProblem{
        "count",
        fmt::format("such groups do not divide the {} ranks of the platform", platform.npus),
        "count times stride divides the ranks (and the next stride, if there are several): "
        "or name them with `groups`"};
  return std::nullopt;
}

namespace {

// The operations of the parts of a program, which know who does them.
class ProgramRules {
 public:
  ProgramRules(const ProgramSpec& program, const PlatformFacts& platform)
      : program_(program), platform_(platform), claims_(platform.npus, {"rank", "part"}) {
    for (std::size_t part = 0; part < program.parts.size(); ++part) claim(part);
    check_communicators();
    if (!problems_.empty()) return;
    for (std::size_t part = 0; part < program.parts.size(); ++part)
      for (std::size_t step = 0; step < program.parts[part].steps.size(); ++step) check(part, step);
  }

  SpecProblems problems() && { return std::move(problems_); }

 private:
  void add(const std::string& part, const std::optional<SpecProblem>& problem) {
    if (problem) add_below(problems_, part, {*problem});
  }

  void claim(std::size_t index) {
    const std::string key = item_key("program", index) + ".ranks";
    const auto owner = static_cast<std::int32_t>(index);
    std::vector<Rank> claimed;
    const std::vector<Rank>& ranks = program_.parts[index].ranks;
    if (ranks.empty()) add("", claims_.claim(key, claims_.all(), owner, claimed));
    for (const Rank rank : ranks) add("", claims_.claim(key, {rank, rank}, owner, claimed));
  }

  void check_communicators() {
    const auto levels = static_cast<int>(platform_.levels.size());
    for (const Grouping& grouping : program_.communicators) {
      bool good = true;
      if (const auto* of_levels = std::get_if<std::vector<int>>(&grouping))
        good = std::ranges::all_of(*of_levels,
                                   [&](int level) { return 0 <= level && level < levels; });
      if (const auto* extents = std::get_if<std::vector<Extent>>(&grouping))
        add("program", problem_of(*extents, platform_));
      if (const auto* lists = std::get_if<RankLists>(&grouping))
        for (const std::vector<Rank>& ranks : *lists)
          good &= std::ranges::all_of(
              ranks, [&](Rank rank) { return 0 <= rank && rank < platform_.npus; });
      if (!good)
        problems_.push_back({"program", "a group has levels or ranks that the platform has not",
                             "name those of the platform"});
    }
  }

  void check(std::size_t part, std::size_t step) {
    const std::string key = fmt::format("program[{}].operations[{}]", part, step);
    const auto& what = program_.parts[part].steps[step].operation.what;
    const auto is_own = [&](Rank rank) {
      return 0 <= rank && rank < platform_.npus &&
             claims_.owner_of(rank) == static_cast<std::int32_t>(part);
    };
    if (const auto* send = std::get_if<SendCall>(&what))
      add(key, problem_of_partner("to", send->to, is_own(send->to), platform_));
    if (const auto* receive = std::get_if<ReceiveCall>(&what))
      add(key, problem_of_partner("from", receive->from, is_own(receive->from), platform_));
    if (const auto* wait = std::get_if<Wait>(&what))
      if (wait->operation >= static_cast<std::int64_t>(step))
        add(key, SpecProblem{"wait", "that operation is not an earlier one of this part",
                             "wait for one that has begun"});
    if (const auto* call = std::get_if<CollectiveCall>(&what)) check(key, *call);
  }

  void check(const std::string& key, const CollectiveCall& call) {
    const auto communicators = static_cast<std::int32_t>(program_.communicators.size());
    if (call.communicator < 0 || call.communicator >= std::max(1, communicators))
      return add(key,
                 SpecProblem{"over", fmt::format("there is no communicator {}", call.communicator),
                             "add its grouping to `communicators`"});
    const std::int32_t members =
        communicators == 0 ? platform_.npus
                           : smallest_group(program_.communicators[call.communicator], platform_);
    if (has_root(call.kind)) add(key, problem_of_root(call.root, members));
    if (call.pair_sizes && call.pair_sizes->ranks() != members)
      add(key, SpecProblem{"all_to_allv",
                           fmt::format("this is not a table of {} by {} sizes", members, members),
                           "give a size for each pair of the ranks that take part"});
  }

  const ProgramSpec& program_;
  const PlatformFacts& platform_;
  RankClaims claims_;
  SpecProblems problems_;
};

}  // namespace

SpecProblems problems_of(const ProgramSpec& program, const PlatformFacts& platform) {
  if (!platform.known) return {};
  return ProgramRules(program, platform).problems();
}

}  // namespace orrery
