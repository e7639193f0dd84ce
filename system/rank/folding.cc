#include "system/rank/folding.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "system/rank/job_traffic.h"

namespace orrery {
namespace {

using Place = GroupFamily::DigitInGroup::Place;

// The digits that are folded as far as is known, and why the others are not.
class Candidates {
 public:
  explicit Candidates(std::vector<Digit> digits) : digits_(std::move(digits)) {}

  const std::vector<Digit>& digits() const { return digits_; }
  const std::string& why_not() const { return why_not_; }

  void drop(const Digit& digit, const std::string& why) {
    const auto found = std::find(digits_.begin(), digits_.end(), digit);
    if (found == digits_.end()) return;
    digits_.erase(found);
    if (why_not_.find(why) == std::string::npos) why_not_ += (why_not_.empty() ? "" : "; ") + why;
  }
  // Drops those of which `why` has something to say.
  template <class Why>
  void check(const Why& why) {
    for (const Digit& digit : std::vector<Digit>(digits_))
      if (const std::string reason = why(digit); !reason.empty()) drop(digit, reason);
  }

 private:
  std::vector<Digit> digits_;  // ascending
  std::string why_not_;
};

// Numbers that divide each other, one by one.
void cut_at(std::vector<std::int32_t>& cuts, std::int32_t at) {
  const auto above = std::lower_bound(cuts.begin(), cuts.end(), at);
  if (above == cuts.end() || *above == at || *above % at != 0) return;
  if (at % *std::prev(above) == 0) cuts.insert(above, at);
}

// Where another program than rank 0's begins, and where that one begins again: groups that are
// lists do not say where stages end.
void cut_at_programs(std::vector<std::int32_t>& cuts, const Job& job) {
  const auto is_first = [&](Rank rank) {
    return job.operations->known_operations(rank).identity() ==
           job.operations->known_operations(0).identity();
  };
  Rank other = 1;
  while (other < job.ranks && is_first(other)) ++other;
  Rank again = other;
  while (again < job.ranks && !is_first(again)) ++again;
  if (other < job.ranks) cut_at(cuts, other);
  if (again < job.ranks) cut_at(cuts, again);
}

std::vector<Digit> all_digits(const Topology& topology, std::span<const GroupFamily> families,
                              const Job& job) {
  std::vector<std::int32_t> cuts = {1, topology.npu_count()};
  for (int level = 0; level < static_cast<int>(topology.levels().size()); ++level)
    cut_at(cuts, topology.stride(level));
  for (const GroupFamily& family : families)
    for (const std::int32_t cut : family.cuts())
      if (cut > 1) cut_at(cuts, cut);
  cut_at_programs(cuts, job);
  std::vector<Digit> digits;
  for (std::size_t i = 1; i < cuts.size(); ++i)
    digits.push_back({cuts[i] / cuts[i - 1], cuts[i - 1]});
  return digits;
}

Rank without(const Digit& digit, Rank rank) { return rank - digit.of(rank) * digit.stride; }

// ---- programs ----------------------------------------------------------------------------------

std::string why_programs_differ(const Job& job, const Digit& digit) {
  const auto program = [&](Rank rank) { return job.operations->known_operations(rank).identity(); };
  for (Rank rank = 0; rank < job.ranks; ++rank) {
    const Rank like = without(digit, rank);
    if (program(rank) != program(like)) {
      const std::string why = job.operations->why_unlike(rank, like);
      return fmt::format("rank {} runs another program than rank {}{}{}", rank, like,
                         why.empty() ? "" : ": ", why);
    }
    if (!job.start.empty() && job.start[rank] != job.start[like])
      return fmt::format("rank {} starts at another time than rank {}", rank, like);
  }
  return "";
}

// Each program, with one of its ranks, in their order.
std::vector<std::pair<Rank, KnownOperations>> programs_of(const Job& job) {
  std::vector<std::pair<Rank, KnownOperations>> programs;
  std::set<const void*> known;
  for (Rank rank = 0; rank < job.ranks; ++rank) {
    const auto operations = job.operations->known_operations(rank);
    if (known.insert(operations.identity()).second) programs.emplace_back(rank, operations);
  }
  return programs;
}

// How far away the peers of a program's sends and receives are.
std::set<std::int32_t> distances_in(const KnownOperations& operations) {
  std::set<std::int32_t> distances;
  for (const Operation& operation : operations) {
    if (const auto* send = std::get_if<SendCall>(&operation.what)) distances.insert(send->to);
    if (const auto* call = std::get_if<ReceiveCall>(&operation.what)) distances.insert(call->from);
  }
  return distances;
}

// Peers are to have the same digit as the rank itself.
void check_peers(const Job& job, Candidates& candidates) {
  std::map<const void*, std::set<std::int32_t>> distances;
  for (const auto& [rank, operations] : programs_of(job)) {
    auto& of_program = distances[operations.identity()] = distances_in(operations);
    if (of_program.empty() || job.operations->names_distances(rank)) continue;
    candidates.check([](const Digit&) { return "the job sends from one rank to another"; });
  }
  candidates.check([&](const Digit& digit) -> std::string {
    for (Rank rank = 0; rank < job.ranks; ++rank)
      for (const std::int32_t distance :
           distances[job.operations->known_operations(rank).identity()])
        if (digit.of(rank + distance) != digit.of(rank))
          return fmt::format("rank {} sends to or receives from rank {}", rank, rank + distance);
    return "";
  });
}

// ---- collectives -------------------------------------------------------------------------------

// A digit that is inside the groups of a call.
struct Inside {
  Digit ranks;
  Digit positions;     // in the groups
  Digit members = {};  // of the dimension that is looked at
};

// A call by groups that have one layout.
struct LaidCall {
  CollectiveCall call;
  std::int32_t layout;
};

class CallCheck {
 public:
  CallCheck(const Topology& topology, const Job& job, CollectiveRecipes& recipes,
            Candidates& candidates)
      : topology_(topology), job_(job), recipes_(recipes), candidates_(candidates) {}

  void check(const LaidCall& laid) {
    const CollectiveCall& call = laid.call;
    const std::vector<Inside> inside = digits_inside(call);
    if (inside.empty()) return;
    const std::string reason = why_unlike(call);
    if (!reason.empty()) return drop(inside, reason);
    const CollectiveRecipe& recipe = recipes_.of(call, laid.layout);
    for (const PathRecipe& path : recipe.paths)
      for (const PhaseRecipe& phase : path.phases) check(call, phase);
  }

 private:
  using DigitInGroup = GroupFamily::DigitInGroup;

  static std::string_view name(const CollectiveCall& call) { return name_of(call.kind); }

  void drop(const std::vector<Inside>& digits, const std::string& reason) {
    for (const Inside& digit : digits) candidates_.drop(digit.ranks, reason);
  }

  std::vector<Inside> digits_inside(const CollectiveCall& call) {
    std::vector<Inside> inside;
    for (const Digit& digit : std::vector<Digit>(candidates_.digits())) {
      const DigitInGroup& found = find(call.communicator, digit);
      if (found.place == Place::inside) inside.push_back({digit, found.position});
      if (found.place == Place::across) candidates_.drop(digit, why_across(call));
    }
    return inside;
  }

  const DigitInGroup& find(std::int32_t communicator, const Digit& digit) {
    const auto [found, is_new] =
        places_.try_emplace({communicator, digit.count, digit.stride}, DigitInGroup{});
    if (is_new) found->second = recipes_.families()[communicator].find(digit);
    return found->second;
  }

  std::string why_across(const CollectiveCall& call) const {
    const Communicator& communicator = job_.communicators[call.communicator];
    const bool lists = std::holds_alternative<RankLists>(communicator.groups);
    return fmt::format("the groups of {} are {}", communicator.name,
                       lists ? "lists" : "not cut along levels");
  }

  // Whatever the digit.
  static std::string why_unlike(const CollectiveCall& call) {
    if (has_root(call.kind)) return fmt::format("the {} has a root", name(call));
    if (call.pair_sizes) return fmt::format("the {} has a size for each pair", name(call));
    return "";
  }

  // The digits inside the groups that are digits of the members, by these.
  std::vector<Inside> digits_of(const CollectiveCall& call, const GroupDimension& dimension) {
    std::vector<Inside> inside;
    for (Inside digit : digits_inside(call)) {
      const Position begin = digit.positions.stride, end = begin * digit.positions.count;
      if (end <= dimension.stride || begin >= dimension.stride * dimension.size) continue;
      const std::optional<Digit> members = dimension.members_of(digit.positions);
      if (!members) {
        candidates_.drop(digit.ranks, why_across(call));
        continue;
      }
      digit.members = *members;
      inside.push_back(digit);
    }
    std::sort(inside.begin(), inside.end(),
              [](const Inside& a, const Inside& b) { return a.members.stride < b.members.stride; });
    return inside;
  }

  void check(const CollectiveCall& call, const PhaseRecipe& phase) {
    const GroupDimension& dimension = phase.dimension;
    const std::vector<Inside> inside = digits_of(call, dimension);
    if (inside.empty()) return;
    const LevelSpec& level = topology_.levels()[dimension.level];
    const bool graph = level.kind == LevelKind::graph;  // the network compares the paths
    if (!dimension.one_level && !graph)
      return drop(inside, fmt::format("the {} goes over several levels at once", name(call)));
    if (level.kind == LevelKind::mesh)
      return drop(inside, fmt::format("{} is a mesh, which has ends", level.name));
    for (const Plan* plan : phase.variants) {
      const bool any_wires = level.kind == LevelKind::switched || graph;
      const bool turns = plan->symmetry() == Symmetry::rotation && dimension.size == level.size;
      if (plan->symmetry() == Symmetry::none)
        return drop(inside, fmt::format("the {} goes by an algorithm in which ranks have different "
                                        "roles",
                                        name(call)));
      if (!any_wires && !turns)
        return drop(inside, fmt::format("the {} goes over a part of {}, or in pairs", name(call),
                                        level.name));
      keep_upper(call, dimension, *plan, inside);
    }
  }

  // A rotation of members m by k keeps m mod k: what is folded are the upper digits. An exchange
  // keeps any digit; one line of them will do.
  void keep_upper(const CollectiveCall& call, const GroupDimension& dimension, const Plan& plan,
                  const std::vector<Inside>& inside) {
    std::int32_t end = dimension.size;
    if (plan.symmetry() == Symmetry::exchange)
      end = inside.back().members.stride * inside.back().members.count;
    for (auto digit = inside.rbegin(); digit != inside.rend(); ++digit) {
      if (digit->members.stride * digit->members.count == end)
        end = digit->members.stride;
      else
        candidates_.drop(digit->ranks,
                         fmt::format("the {} goes round ranks that are not alike", name(call)));
    }
  }

  const Topology& topology_;
  const Job& job_;
  CollectiveRecipes& recipes_;
  Candidates& candidates_;
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, DigitInGroup> places_;
};

// A message on a ring passes the NPUs between its ends. A rotation of the ring by k places maps x
// to x + k, so upper digits fold. An exchange of neighbours does not: they would no longer be
// neighbours of the others. A mesh has no rotation.
void check_wires(const Topology& topology, Candidates& candidates) {
  for (int l = 0; l < static_cast<int>(topology.levels().size()); ++l) {
    const LevelSpec& level = topology.levels()[l];
    if (level.kind != LevelKind::ring && level.kind != LevelKind::mesh) continue;
    const std::int32_t first = topology.stride(l), whole = first * level.size;
    std::int32_t end = whole;
    const std::vector<Digit> digits = candidates.digits();
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
      if (digit->stride < first || digit->stride >= whole) continue;
      const bool turns = level.kind == LevelKind::ring || digit->count == level.size;
      if (turns && digit->stride * digit->count == end)
        end = digit->stride;
      else
        candidates.drop(*digit, fmt::format("not all ranks along {} are alike", level.name));
    }
  }
}

// Which layouts the groups have in which a program's ranks are, by program and communicator.
using Layouts = std::map<std::pair<const void*, std::int32_t>, std::set<std::int32_t>>;

Layouts layouts_of_lists(const Job& job, std::span<const GroupFamily> families) {
  Layouts layouts;
  for (std::int32_t number = 0; number < static_cast<std::int32_t>(families.size()); ++number) {
    if (families[number].layouts().size() == 1) continue;
    for (Rank rank = 0; rank < job.ranks; ++rank)
      if (const auto member = families[number].find(rank))
        layouts[{job.operations->known_operations(rank).identity(), number}].insert(member->layout);
  }
  return layouts;
}

// In the order of the programs: what is chosen for them is reported in the order of asking.
std::vector<LaidCall> calls_of(const Job& job, std::span<const GroupFamily> families) {
  Layouts layouts = layouts_of_lists(job, families);
  std::set<std::tuple<std::int32_t, Collective, Bytes, bool, std::int32_t>> known;
  std::vector<LaidCall> calls;
  for (const auto& program : programs_of(job))
    for (const Operation& operation : program.second) {
      const auto* call = std::get_if<CollectiveCall>(&operation.what);
      if (call == nullptr) continue;
      auto& own = layouts[{program.second.identity(), call->communicator}];
      if (own.empty()) own.insert(0);  // the only one
      for (const std::int32_t layout : own)
        if (known
                .emplace(call->communicator, call->kind, call->size, call->pair_sizes != nullptr,
                         layout)
                .second)
          calls.push_back({*call, layout});
    }
  return calls;
}

// Until nothing changes: a digit that is dropped may be between others.
void check_calls(const Topology& topology, const Job& job, CollectiveRecipes& recipes,
                 Candidates& candidates) {
  CallCheck check(topology, job, recipes, candidates);
  const std::vector<LaidCall> calls = calls_of(job, recipes.families());
  for (std::size_t before = 0; before != candidates.digits().size();) {
    before = candidates.digits().size();
    check_wires(topology, candidates);
    for (const LaidCall& call : calls) check.check(call);
  }
}

std::string why_platform_cannot(const Topology& topology) {
  if (!topology.structural()) return "";  // the network looks at every path
  for (const LevelSpec& level : topology.levels())
    if (level.latency == Duration{}) return fmt::format("{} has no latency", level.name);
  return "";
}

}  // namespace

FoldChoice choose_fold(const Topology& topology, const Job& job, CollectiveRecipes& recipes,
                       NetworkBackend& network) {
  if (std::string reason = why_platform_cannot(topology); !reason.empty())
    return {{}, std::move(reason)};
  for (Rank rank = 0; rank < job.ranks; ++rank)
    if (job.operations->known_operations(rank).empty())
      return {{}, "what the ranks do is not known beforehand"};
  Candidates candidates(all_digits(topology, recipes.families(), job));
  candidates.check([&](const Digit& digit) { return why_programs_differ(job, digit); });
  check_peers(job, candidates);
  check_calls(topology, job, recipes, candidates);
  if (candidates.digits().empty()) return {{}, candidates.why_not()};
  const JobTraffic traffic(topology, job, recipes);
  while (!candidates.digits().empty()) {
    const Fold fold(candidates.digits());
    const FoldAnswer answer = network.fold(fold, traffic);
    if (answer.folds()) return {fold, ""};
    if (!answer.uneven) return {{}, answer.why_not};
    candidates.drop(*answer.uneven, answer.why_not);
    check_calls(topology, job, recipes, candidates);
  }
  return {{}, candidates.why_not()};
}

}  // namespace orrery
