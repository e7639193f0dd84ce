#include "system/rank/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/log.h"
#include "core/units/unit_text.h"
#include "system/collective/between_nodes.h"
#include "system/collective/capability.h"
#include "system/collective/phases.h"
#include "system/rank/flat_ring.h"
#include "system/rank/named_line.h"
#include "system/rank/prediction.h"

namespace orrery {
namespace {

// A level alone does not show whether it is inside nodes: the rows that hold there hold everywhere.
SystemSpec as_seen(SystemSpec system, const GroupAlongLevels& group, const Topology& topology) {
  if (group.size() > 1) return system;
  const Scope place = place_of(topology.levels(), static_cast<std::size_t>(group.front().first));
  std::erase_if(system.protocols,
                [&](const ProtocolCost& cost) { return cost.scope && cost.scope != place; });
  for (ProtocolCost& cost : system.protocols) cost.scope.reset();
  return system;
}

// Whether the chunks of a plan have to follow each other, because ranks have roles in it.
bool is_pipelined(const CollectiveSpec& spec, Collective kind) {
  if (has_root(kind)) return true;
  if (is_automatic(spec.algorithms)) return false;  // of those that are tried, none has roles
  const auto has_roles = [&](const NamedAlgorithm& algorithm) {
    const auto kinds = {kind, Collective::reduce_scatter, Collective::all_gather};
    return std::ranges::any_of(kinds, [&](Collective part) {
      constexpr std::int32_t some = 4;
      return algorithm.supports(part, some) &&
             algorithm.algorithm->plan(planned_as(part), some, 0)->symmetry() == Symmetry::none;
    });
  };
  return std::ranges::any_of(spec.algorithms, has_roles);
}

bool goes_in_turn(const CollectiveSpec& spec, Collective kind) {
  return spec.protocol != Protocol::none && spec.protocol != Protocol::automatic &&
         !is_pipelined(spec, kind);
}

// Of candidates without a closed form the one with the least predicted time: of algorithms that are
// named, over the protocols; of a flat schedule over several levels, over all algorithms.
class PredictedSearch {
 public:
  PredictedSearch(const Topology& topology, PhaseCosts& costs, const SystemSpec& system,
                  const CollectiveSpec& rule, const GroupAlongLevels& group, Collective kind,
                  Bytes size)
      : topology_(topology),
        costs_(costs),
        system_(as_seen(system, group, topology)),
        rule_(rule),
        place_(place_of(topology.levels(), static_cast<std::size_t>(group.front().first))),
        kind_(kind),
        size_(size) {
    levels_ = costs.levels_of(group, kind);
    std::set<int> ports;
    for (const PhaseLevel& level : levels_) {
      group_.push_back(costs.alone(level));
      ports.insert(level.port);
    }
    shares_ports_ = ports.size() != levels_.size();
  }

  // None if no algorithm can do it.
  std::optional<AutomaticChoice> fastest() {
    for (const Protocol protocol : protocols_of(rule_, system_))
      for (const std::int32_t chunks : chunk_counts(protocol)) {
        CollectiveSpec candidate = rule_;
        candidate.protocol = protocol;
        candidate.chunks = chunks;
        candidate.any_chunks = false;
        if (!is_automatic(rule_.algorithms)) {
          consider(candidate);
          continue;
        }
        for (const AlgorithmEntry& entry : builtin_algorithms()) {
          candidate.algorithms = {entry.name};
          if (suits(entry.name, kind_)) consider(candidate);
        }
      }
    if (best_) best_->candidates = considered_;
    return best_;
  }

 private:
  // A few: each is simulated. Named ones have those of their rule if no protocol costs anything.
  std::vector<std::int32_t> chunk_counts(Protocol protocol) const {
    if (!rule_.any_chunks || protocol == Protocol::none) return {rule_.chunks};
    return {1, 4, 16};
  }

  bool is_possible(const CollectiveSpec& candidate) const {
    const int levels = static_cast<int>(group_.size());
    if (candidate.protocol == Protocol::nvls &&
        !switch_may_add(kind_, group_.size(), group_.front(), place_, group_.front().size))
      return false;
    std::int32_t ranks = 1;
    for (const LevelSpec& level : group_) ranks *= level.size;
    for (const DimensionOrder& order : orders_of(candidate.schedule, levels))
      for (const Phase& phase : make_phases(kind_, candidate.schedule, order)) {
        const int level = std::max(phase.dimension, 0);
        const NamedAlgorithm& algorithm = algorithm_on(candidate, level);
        const std::int32_t members = phase.dimension == kWhole ? ranks : group_[level].size;
        if (!level_suits(algorithm, group_[level]) || !algorithm.supports(phase.kind, members))
          return false;
        if (phase.dimension == kWhole && algorithm.algorithm->needs_reducing_switch()) return false;
        if (candidate.protocol != Protocol::none &&
            find_cost(system_.protocols, candidate.protocol, algorithm.name) == nullptr)
          return false;
      }
    return true;
  }

  // As in automatic_choice.h.
  void consider(CollectiveSpec candidate) {
    if (!is_possible(candidate)) return;
    candidate.in_turn = goes_in_turn(candidate, kind_);
    const bool one_level = group_.size() == 1 || candidate.schedule == HierarchicalSchedule::flat;
    if (rule_.any_chunks && candidate.in_turn && one_level && candidate.chunks > 1) return;
    ++considered_;
    Duration time = predicted_time(group_, system_, candidate, kind_, size_);
    if (shares_ports_)
      time = std::max(
          time, time_in_named_line(topology_, system_, costs_, candidate, levels_, kind_, size_));
    if (best_ && time >= best_->predicted) return;
    best_ = {.spec = candidate, .predicted = time};
  }

  const Topology& topology_;
  PhaseCosts& costs_;
  SystemSpec system_;
  const CollectiveSpec& rule_;
  std::vector<PhaseLevel> levels_;
  std::vector<LevelSpec> group_;  // the levels, each alone
  bool shares_ports_ = false;     // several of them lie behind one
  Scope place_;                   // of its innermost level
  Collective kind_;
  Bytes size_;
  std::int64_t considered_ = 0;
  std::optional<AutomaticChoice> best_;
};

// With an algorithm for each level of the topology: those outside the group are not used.
CollectiveSpec on_topology(CollectiveSpec spec, const GroupLayout& layout,
                           const Topology& topology) {
  if (spec.algorithms.size() == 1) return spec;
  std::vector<NamedAlgorithm> by_level(topology.levels().size(), spec.algorithms.front());
  const auto& dimensions = layout.dimensions;
  for (std::size_t d = 0; d < dimensions.size(); ++d)
    by_level[dimensions[d].level] = algorithm_on(spec, static_cast<int>(d));
  spec.algorithms = std::move(by_level);
  return spec;
}

}  // namespace

Selection::Selection(const Topology& topology, const SystemSpec& system)
    : topology_(topology), system_(system), written_(system.collectives), costs_(topology, system) {
  if (system.protocols.empty()) return;
  for (int kind = 0; kind < collective_count; ++kind)
    written_[static_cast<std::size_t>(kind)].in_turn =
        goes_in_turn(written_[static_cast<std::size_t>(kind)], static_cast<Collective>(kind));
}

std::optional<AutomaticChoice> Selection::fastest(const CollectiveSpec& rule,
                                                  const GroupAlongLevels& group, Collective kind,
                                                  Bytes size) {
  const bool whole = rule.schedule == HierarchicalSchedule::flat && group.size() > 1;
  if (!is_automatic(rule.algorithms) || whole)
    return PredictedSearch(topology_, costs_, system_, rule, group, kind, size).fastest();
  auto choice = choose_automatically(topology_, system_, costs_, rule, group, kind, size);
  if (rule.any_schedule)
    if (const auto rings = fastest_flat_ring(topology_, system_, rule, group, kind, size);
        rings && (!choice || rings->predicted < choice->predicted))
      choice = rings;
  if (!choice) return choice;
  std::int64_t ranks = 1;
  std::vector<LevelSpec> alone;
  std::set<int> ports;
  const std::vector<PhaseLevel> levels = costs_.levels_of(group, kind);
  for (const PhaseLevel& level : levels) {
    ranks *= level.members;
    alone.push_back(costs_.alone(level));
    ports.insert(level.port);
  }
  // Taken out of its platform, each level has ports of its own.
  const bool in_parts = planned_as(kind) != Collective::all_to_all &&
                        std::ranges::any_of(levels, [this](const PhaseLevel& level) {
                          return costs_.members_together(level) > 1;
                        });
  if (choice->messages * ranks > kMostMessagesOfChoice || ports.size() != levels.size() || in_parts)
    return choice;
  const Duration simulated =
      predicted_time(alone, as_seen(system_, group, topology_), choice->spec, kind, size);
  // The simulation does not know that messages share the links that they pass on their way, nor the
  // ports where ranks drift apart.
  const bool passes =
      costs_.depends_on_distance() ||
      std::ranges::any_of(levels, [this](const PhaseLevel& at) { return costs_.is_uneven(at); }) ||
      std::ranges::any_of(alone, [](const LevelSpec& level) {
        return level.kind == LevelKind::ring || level.kind == LevelKind::mesh;
      });
  choice->predicted = passes ? std::max(simulated, choice->predicted) : simulated;
  return choice;
}

std::int32_t Selection::choose(Collective kind, Bytes size, const GroupLayout& layout) {
  const CollectiveSpec& written = system_.collectives[static_cast<std::size_t>(kind)];
  if (!needs_selection(written)) return as_written;
  const GroupAlongLevels& group = layout.along;
  const auto [found, inserted] = numbers_.try_emplace({kind, size, group}, as_written);
  if (!inserted) return found->second;

  CollectiveSpec rule = rule_for(written, size);
  Choice choice;
  choice.kind = kind;
  choice.size = size;
  for (const GroupDimension& dimension : layout.dimensions) {
    choice.levels.push_back(dimension.level);
    choice.sizes.push_back(dimension.size);
  }
  choice.automatic = needs_selection(rule);
  const bool flat = rule.schedule == HierarchicalSchedule::flat && group.size() > 1;
  choice.any_chunks = chooses_chunks(rule) && !(flat && rule.protocol == Protocol::none);
  if (choice.automatic)
    if (const auto fastest = this->fastest(rule, group, kind, size)) {
      rule = is_automatic(rule.algorithms) ? on_topology(fastest->spec, layout, topology_)
                                           : fastest->spec;
      choice.predicted = fastest->predicted;
      choice.candidates = fastest->candidates;
    }
  choice.spec = found->second = number_of(rule);
  log::record(log::Level::info, log::Room::system, "{} of {} runs {}", name_of(kind), to_text(size),
              text_of(choice, rule));
  choices_.push_back(std::move(choice));
  return found->second;
}

std::int32_t Selection::number_of(const CollectiveSpec& spec) {
  const auto found = std::find(specs_.begin(), specs_.end(), spec);
  if (found != specs_.end()) return static_cast<std::int32_t>(found - specs_.begin());
  specs_.push_back(spec);
  return static_cast<std::int32_t>(specs_.size()) - 1;
}

std::string text_of(const std::vector<int>& levels, const CollectiveSpec& spec) {
  std::vector<NamedAlgorithm> used;
  used.reserve(levels.size());
  for (const int level : levels) used.push_back(algorithm_on(spec, level));
  const bool equal = std::count(used.begin(), used.end(), used.front()) == std::ssize(used);
  std::string text = equal ? used.front().name : names_of(used, "+");
  if (spec.protocol != Protocol::none) text += '/' + std::string(name_of(spec.protocol));
  if (levels.size() > 1) text += ", " + std::string(name_of(spec.schedule));
  if (spec.one_by_one) text += " one by one";
  if (spec.in_turn && levels.size() > 1) text += " in turn";
  return text;
}

std::string text_of(const Choice& choice, const CollectiveSpec& spec) {
  std::string text = text_of(choice.levels, spec);
  if (choice.any_chunks)
    text += fmt::format(", {} chunk{}", spec.chunks, spec.chunks == 1 ? "" : "s");
  return text;
}

}  // namespace orrery
