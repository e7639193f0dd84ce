#include "system/rank/selection.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/log.h"
#include "core/units/unit_text.h"
#include "system/collective/phases.h"
#include "system/rank/prediction.h"

namespace orrery {
namespace {

// Finds the fastest candidate for one kind, size and group.
class Search {
 public:
  Search(const Topology& topology, const SystemSpec& system, const CollectiveSpec& rule,
         const GroupLayout& layout, Collective kind, Bytes size)
      : system_(system), rule_(rule), kind_(kind), size_(size) {
    for (const GroupDimension& dimension : layout.dimensions)
      group_.push_back(level_alone(topology.levels()[dimension.level], dimension.size));
  }

  // None if no algorithm can do it.
  std::optional<CollectiveSpec> fastest() {
    for (const HierarchicalSchedule schedule : schedules())
      for (const Protocol protocol : protocols()) {
        CollectiveSpec candidate = rule_;
        candidate.ranges.clear();
        candidate.schedule = schedule;
        candidate.protocol = protocol;
        if (!is_automatic(rule_.algorithms)) {
          candidate.algorithms = rule_.algorithms;
          consider(candidate);
          continue;
        }
        for (const AlgorithmEntry& entry : builtin_algorithms()) {
          candidate.algorithms = on_all_levels(entry.name, schedule);
          consider(candidate);
        }
      }
    if (best_ && is_automatic(rule_.algorithms)) improve_level_by_level();
    return best_;
  }

  Duration predicted() const { return predicted_; }
  std::int64_t candidates() const { return static_cast<std::int64_t>(seen_.size()); }

 private:
  std::int32_t ranks() const {
    std::int32_t product = 1;
    for (const LevelSpec& level : group_) product *= level.size;
    return product;
  }
  int levels() const { return static_cast<int>(group_.size()); }

  std::vector<HierarchicalSchedule> schedules() const {
    if (!rule_.any_schedule || levels() == 1) return {rule_.schedule};
    return {HierarchicalSchedule::baseline, HierarchicalSchedule::local_bandwidth_aware,
            HierarchicalSchedule::flat};
  }

  std::vector<Protocol> protocols() const {
    if (rule_.protocol != Protocol::automatic) return {rule_.protocol};
    std::vector<Protocol> with_costs;
    for (const Protocol protocol : {Protocol::simple, Protocol::ll, Protocol::ll128})
      if (std::any_of(system_.protocols.begin(), system_.protocols.end(),
                      [&](const ProtocolCost& cost) { return cost.protocol == protocol; }))
        with_costs.push_back(protocol);
    return with_costs;
  }

  bool can_do(const NamedAlgorithm& algorithm, HierarchicalSchedule schedule, int level) const {
    if (!level_suits(algorithm, group_[level])) return false;
    for (const DimensionOrder& order : orders_of(schedule, levels()))
      for (const Phase& phase : make_phases(kind_, schedule, order)) {
        const bool whole = phase.dimension == kWhole;
        if (!whole && phase.dimension != level) continue;
        if (!algorithm.supports(phase.kind, whole ? ranks() : group_[level].size)) return false;
        if (whole && levels() > 1 && algorithm.algorithm->needs_reducing_switch()) return false;
      }
    return true;
  }

  std::vector<NamedAlgorithm> on_all_levels(const NamedAlgorithm& algorithm,
                                            HierarchicalSchedule schedule) const {
    if (schedule == HierarchicalSchedule::flat) return {algorithm};
    std::vector<NamedAlgorithm> all(levels(), algorithm);
    for (int level = 0; level < levels(); ++level) {
      if (can_do(algorithm, schedule, level)) continue;
      for (const AlgorithmEntry& entry : builtin_algorithms()) {
        all[level] = entry.name;
        if (can_do(all[level], schedule, level)) break;
      }
    }
    return all;
  }

  bool is_possible(const CollectiveSpec& candidate) const {
    for (int level = 0; level < levels(); ++level) {
      const NamedAlgorithm& algorithm = algorithm_on(candidate, level);
      if (!can_do(algorithm, candidate.schedule, level)) return false;
      if (candidate.protocol != Protocol::none &&
          find_cost(system_.protocols, candidate.protocol, algorithm.name) == nullptr)
        return false;
    }
    return true;
  }

  void consider(const CollectiveSpec& candidate) {
    if (std::find(seen_.begin(), seen_.end(), candidate) != seen_.end()) return;
    if (!is_possible(candidate)) return;
    seen_.push_back(candidate);
    const Duration time = predicted_time(group_, system_, candidate, kind_, size_);
    if (best_ && time >= predicted_) return;
    best_ = candidate;
    predicted_ = time;
  }

  void improve_level_by_level() {
    if (best_->algorithms.size() == 1) return;  // flat, or one level
    for (int level = 0; level < levels(); ++level)
      for (const AlgorithmEntry& entry : builtin_algorithms()) {
        CollectiveSpec candidate = *best_;
        candidate.algorithms[level] = entry.name;
        consider(candidate);
      }
  }

  const SystemSpec& system_;
  const CollectiveSpec& rule_;
  std::vector<LevelSpec> group_;
  Collective kind_;
  Bytes size_;
  std::vector<CollectiveSpec> seen_;
  std::optional<CollectiveSpec> best_;
  Duration predicted_;
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
    : topology_(topology), system_(system) {}

std::int32_t Selection::choose(Collective kind, Bytes size, const GroupLayout& layout) {
  const CollectiveSpec& written = system_.collectives[static_cast<std::size_t>(kind)];
  if (!needs_selection(written)) return as_written;
  Shape shape;
  for (const GroupDimension& dimension : layout.dimensions)
    shape.emplace_back(dimension.level, dimension.size);
  const auto [found, inserted] = numbers_.try_emplace({kind, size, shape}, as_written);
  if (!inserted) return found->second;

  CollectiveSpec rule = rule_for(written, size);
  Choice choice;
  choice.kind = kind;
  choice.size = size;
  for (const auto& [level, members] : shape) {
    choice.levels.push_back(level);
    choice.sizes.push_back(members);
  }
  choice.automatic = needs_selection(rule);
  if (choice.automatic) {
    Search search(topology_, system_, rule, layout, kind, size);
    if (const auto fastest = search.fastest())
      rule = is_automatic(rule.algorithms) ? on_topology(*fastest, layout, topology_) : *fastest;
    choice.predicted = search.predicted();
    choice.candidates = search.candidates();
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

std::string text_of(const Choice& choice, const CollectiveSpec& spec) {
  std::vector<NamedAlgorithm> used;
  for (const int level : choice.levels) used.push_back(algorithm_on(spec, level));
  const bool equal = std::count(used.begin(), used.end(), used.front()) == std::ssize(used);
  std::string text = equal ? used.front().name : names_of(used, "+");
  if (spec.protocol != Protocol::none) text += '/' + std::string(name_of(spec.protocol));
  if (choice.levels.size() > 1) text += ", " + std::string(name_of(spec.schedule));
  return text;
}

}  // namespace orrery
