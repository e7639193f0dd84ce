#include "simulation/named_for_all.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "simulation/called_kinds.h"
#include "simulation/written.h"
#include "system/problems.h"

namespace orrery {

namespace {

constexpr std::string_view key = "system.algorithms";

const ResolvedValue* resolved(const Experiment& experiment, std::string_view path) {
  const auto found = std::ranges::find(experiment.resolved, path, &ResolvedValue::path);
  return found == experiment.resolved.end() ? nullptr : &*found;
}

struct Unused {
  const ResolvedValue* names = nullptr;  // null: there are none, or a kind has what is named
  std::vector<Collective> kinds;         // that are called
  bool can = false;                      // some of them could do it
};

Unused unused_names(const Experiment& experiment) {
  Unused unused;
  const ResolvedValue* names = resolved(experiment, key);
  if (names == nullptr || !is_written(*names) || names->origin.starts_with("orrery:")) return {};
  for (const Collective kind : called_kinds(experiment.workload)) {
    if (kind == Collective::barrier) continue;  // no one means it by what is named for all
    const ResolvedValue* own =
        resolved(experiment, fmt::format("system.{}.algorithms", name_of(kind)));
    if (own == nullptr || !own->origin.starts_with("default (")) return {};
    unused.can = unused.can || !own->origin.ends_with("cannot do it)");
    unused.kinds.push_back(kind);
  }
  if (!unused.kinds.empty()) unused.names = names;
  return unused;
}

std::string names_of(const std::vector<Collective>& kinds) {
  std::vector<std::string_view> names;
  for (const Collective kind : kinds) names.push_back(name_of(kind));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

SpecProblems problems_of_names(const Experiment& experiment) {
  const Unused unused = unused_names(experiment);
  if (unused.names == nullptr || unused.can) return {};
  const Collective kind = unused.kinds.front();
  CollectiveSpec spec = experiment.system.collectives[static_cast<std::size_t>(kind)];
  spec.ranges.clear();
  spec.algorithms = {NamedAlgorithm(unused.names->value)};
  // Of a list, what its names can do level by level is not said.
  SpecProblems problems =
      spec.algorithms.front().algorithm == nullptr
          ? SpecProblems()
          : problems_of_algorithms(key, kind, spec, experiment.system, experiment.topology);
  if (problems.empty())
    problems.push_back({"",
                        fmt::format("{} cannot do {}", unused.names->value, names_of(unused.kinds)),
                        "name what can, or none: then it is chosen"});
  problems.front().key = key;
  return {problems.front()};
}

std::vector<std::string> notices_of_names(const Experiment& experiment) {
  const Unused unused = unused_names(experiment);
  if (unused.names == nullptr || !unused.can) return {};
  const std::string_view kind = name_of(unused.kinds.front());
  const ResolvedValue* own = resolved(experiment, fmt::format("system.{}.algorithms", kind));
  return {
      fmt::format("{}: {} is not used, because it does not suit {}, which has {}; write "
                  "system.{}.algorithms to have it",
                  key, unused.names->value, names_of(unused.kinds), own->value, kind)};
}

}  // namespace orrery
