#include "system/rank/collective_recipes.h"

#include <fmt/format.h>

#include <algorithm>

#include "system/collective/bandwidth_bound.h"
#include "system/collective/between_nodes.h"
#include "system/collective/capability.h"
#include "system/collective/piece_sizes.h"
#include "system/collective/rooted_plan.h"

namespace orrery {
namespace {

// The fold of the positions in a group.
Fold fold_of_positions(const GroupFamily& family, const Fold& fold) {
  std::vector<Digit> digits;
  for (const Digit& digit : fold.digits()) {
    const auto found = family.find(digit);
    if (found.place == GroupFamily::DigitInGroup::Place::inside) digits.push_back(found.position);
  }
  return Fold(std::move(digits));
}

// The fold of the members of a dimension. REQUIRES: folded digits are adjacent.
Digit fold_of_members(const Fold& positions, const GroupDimension& dimension) {
  Digit members;
  for (const Digit& digit : positions.digits()) {
    const std::optional<Digit> own = dimension.members_of(digit);
    if (!own) continue;
    members.stride = members.count == 1 ? own->stride : std::min(members.stride, own->stride);
    members.count *= own->count;
  }
  return members;
}

}  // namespace

CollectiveRecipes::CollectiveRecipes(const Topology& topology, const SystemSpec& spec,
                                     const std::vector<Communicator>& communicators)
    : topology_(topology),
      spec_(spec),
      selection_(topology, spec),
      takes_turns_(!spec.protocols.empty()) {
  for (const Communicator& communicator : communicators) {
    families_.emplace_back(topology, communicator);
    recipes_.emplace_back();
    const GroupFamily& family = families_.back();
    for (std::int32_t number = 0; number < std::ssize(family.layouts()); ++number) {
      auto& recipes = recipes_.back().emplace_back();
      for (int kind = 0; kind < collective_count; ++kind) {
        const GroupLayout& layout = family.layout(number, static_cast<Collective>(kind));
        recipes[kind] =
            make_recipe(family, layout, static_cast<Collective>(kind),
                        selection_.spec(static_cast<Collective>(kind), Selection::as_written));
        note_ways(spec.collectives[kind], layout);
      }
    }
  }
}

// Chunks that pass the dimensions in other orders have queues of their own.
void CollectiveRecipes::note_ways(const CollectiveSpec& spec, const GroupLayout& layout) {
  const int dimensions = static_cast<int>(layout.dimensions.size());
  ways_ = std::max(ways_, 2 * orders_of(spec.schedule, dimensions).size());
  joins_levels_ |= std::ranges::any_of(layout.dimensions, &GroupDimension::joined);
  if (spec.any_schedule && is_automatic(spec.algorithms)) {
    std::vector<LevelSpec> levels;
    for (const GroupDimension& dimension : layout.dimensions)
      levels.push_back(topology_.levels()[static_cast<std::size_t>(dimension.level)]);
    for (const HierarchicalSchedule tried : schedules_tried(Collective::all_reduce, levels))
      ways_ = std::max(ways_, 2 * orders_of(tried, dimensions).size());
  }
  takes_turns_ |= ways_ > 2 && is_automatic(spec.algorithms);
  for (const SizeRange& range : spec.ranges) note_ways(range.spec, layout);
}

void CollectiveRecipes::fold(const Fold& fold) {
  folds_.clear();
  for (const GroupFamily& family : families_) folds_.push_back(fold_of_positions(family, fold));
  for (std::size_t communicator = 0; communicator < recipes_.size(); ++communicator)
    for (auto& kinds : recipes_[communicator])
      for (CollectiveRecipe& recipe : kinds) this->fold(recipe, communicator);
  for (auto& [key, recipe] : selected_recipes_)
    this->fold(recipe, static_cast<std::size_t>(std::get<0>(key)));
}

void CollectiveRecipes::fold(CollectiveRecipe& recipe, std::size_t communicator) const {
  if (folds_.empty() || recipe.paths.empty()) return;
  recipe.fold = folds_[communicator];
  if (recipe.fold.none()) return;
  const std::int32_t members = recipe.layout->whole.size / recipe.fold.multiplicity();
  for (PathRecipe& path : recipe.paths) {
    path.slots = 0;
    for (PhaseRecipe& phase : path.phases) {
      const GroupDimension& dimension = phase.dimension;
      phase.fold = fold_of_members(recipe.fold, dimension);
      phase.digit = {dimension.size / phase.fold.count, dimension.stride};
      for (const Digit& digit : recipe.fold.digits())
        if (digit.stride < dimension.stride) phase.digit.stride /= digit.count;
      phase.first_slot = path.slots;
      path.slots += members / phase.digit.count;
    }
  }
}

CollectiveRecipe CollectiveRecipes::make_recipe(const GroupFamily& family,
                                                const GroupLayout& layout, Collective kind,
                                                const CollectiveSpec& spec) {
  CollectiveRecipe recipe;
  recipe.layout = &layout;
  recipe.chunks = spec.chunks;
  recipe.in_turn = spec.in_turn || spec.one_by_one;
  recipe.schedule = spec.schedule;
  for (const auto& order : orders_of(spec.schedule, static_cast<int>(layout.dimensions.size()))) {
    std::optional<PathRecipe> path =
        make_path(layout, spec, make_phases(kind, spec.schedule, order));
    // A kind that the job may never call; calling it is refused by the scheduler.
    if (!path) return {};
    recipe.launch = std::max(recipe.launch, path->launch);
    recipe.paths.push_back(*std::move(path));
  }
  recipe.rates = dimension_rates(kind, spec, family, layout, topology_);
  return recipe;
}

std::optional<PathRecipe> CollectiveRecipes::make_path(const GroupLayout& layout,
                                                       const CollectiveSpec& spec,
                                                       const std::vector<Phase>& phases) {
  PathRecipe path;
  std::vector<std::int32_t> sizes;
  for (const GroupDimension& dimension : layout.dimensions) sizes.push_back(dimension.size);
  for (const Phase& phase : phases) {
    const GroupDimension& dimension = layout.dimension(phase.dimension);
    const NamedAlgorithm& algorithm = algorithm_on(spec, dimension.level);
    const bool suits = algorithm.supports(phase.kind, dimension.size) &&
                       level_suits(algorithm, topology_.levels()[dimension.level]) &&
                       (!algorithm.algorithm->needs_reducing_switch() || dimension.one_level);
    if (!suits) return std::nullopt;
    PhaseRecipe step{.phase = phase,
                     .dimension = dimension,
                     .fold = {},
                     .digit = {dimension.size, dimension.stride},
                     .first_slot = path.slots,
                     .variants = {},
                     .algorithm = &algorithm,
                     .endpoint_delay = {},
                     .local_delay = {},
                     .ranks_of_node = 0,
                     .step = {},
                     .efficiency = {1, 1},
                     .least = {}};
    path.slots += layout.whole.size / dimension.size;
    for (int variant = 0; variant < algorithm.algorithm->variants(); ++variant)
      step.variants.push_back(plan_of(algorithm, phase.kind, layout.shape_of(dimension), variant));
    set_endpoint_delay(step);
    if (const ProtocolCost* cost =
            find_cost(spec_.protocols, spec.protocol, algorithm.name,
                      place_of(topology_.levels(), static_cast<std::size_t>(dimension.level)))) {
      step.step = cost->step;
      step.efficiency = data_share(*cost, spec.in_turn, phase, sizes);
      step.least = cost->least;
      path.launch = std::max(path.launch, cost->launch);
    }
    path.phases.push_back(std::move(step));
  }
  return path;
}

void CollectiveRecipes::set_endpoint_delay(PhaseRecipe& phase) const {
  const int level = phase.dimension.level;
  const bool scale_out = topology_.levels()[level].scope == Scope::scale_out;
  phase.endpoint_delay = scale_out ? spec_.injection_latency : spec_.local_injection_latency;
  const std::int32_t local = ranks_of_local_levels(topology_);
  if (phase.dimension.one_level || !scale_out || local == 1 ||
      spec_.local_injection_latency == spec_.injection_latency)
    return;
  phase.local_delay = spec_.local_injection_latency;
  phase.ranks_of_node = local;
}

const Plan* CollectiveRecipes::plan_of(const NamedAlgorithm& algorithm, Collective kind,
                                       const GroupShape& group, int variant) {
  auto& plan = plans_[{algorithm.name, kind, group, variant}];
  if (!plan) plan = algorithm.algorithm->plan(kind, group, variant);
  return plan.get();
}

// The plan for the root that was called for. Parts that ranks own (gather, scatter) turn with the
// positions one by one; else nodes stay nodes.
const Plan* CollectiveRecipes::rooted_plan(const CollectiveRecipe& recipe, const PhaseRecipe& phase,
                                           int variant, std::int32_t root_of_group) {
  const Plan* plan = phase.variants[variant];
  const Position root = phase.dimension.coordinate(root_of_group);
  if (root == 0) return plan;
  const Collective kind = phase.phase.kind;
  const bool by_node = kind == Collective::broadcast || kind == Collective::reduce;
  const GroupShape& shape = recipe.layout->shape_of(phase.dimension);
  const GroupShape group = by_node ? shape : GroupShape(phase.dimension.size);
  if (by_node)
    plan = plan_of(*phase.algorithm, kind, shape.counted_from(shape.node_of(root)), variant);
  auto& rooted = rooted_plans_[{plan, root}];
  if (!rooted) rooted = rooted_at(root, group, *plan);
  return rooted.get();
}

const CollectiveRecipe& CollectiveRecipes::of(const CollectiveCall& call,
                                              std::int32_t layout_number) {
  const GroupFamily& family = families_[call.communicator];
  const GroupLayout& layout = family.layout(layout_number, call.kind);
  const std::int32_t chosen = selection_.choose(call.kind, call.size, layout);
  if (chosen == Selection::as_written)
    return recipes_[call.communicator][layout_number][static_cast<int>(call.kind)];
  const auto [found, inserted] =
      selected_recipes_.try_emplace({call.communicator, layout_number, call.kind, chosen});
  if (inserted) {
    found->second = make_recipe(family, layout, call.kind, selection_.spec(call.kind, chosen));
    fold(found->second, static_cast<std::size_t>(call.communicator));
  }
  return found->second;
}

CallReport CollectiveRecipes::report_of(const CollectiveCall& call) {
  const GroupFamily& family = families_[call.communicator];
  const GroupLayout& layout = family.layout(0, call.kind);
  const std::int32_t chosen = selection_.choose(call.kind, call.size, layout);
  const CollectiveSpec& spec = selection_.spec(call.kind, chosen);
  std::vector<int> levels;
  levels.reserve(layout.dimensions.size());
  for (const GroupDimension& dimension : layout.dimensions) levels.push_back(dimension.level);
  return {layout.whole.size, text_of(levels, spec),
          bandwidth_bound(call, spec, spec_.minimum_chunk, family, topology_)};
}

const CommunicationCost& CollectiveRecipes::cost_of(const CollectiveCall& call) {
  const GroupFamily& family = families_[call.communicator];
  const auto cost = [&] {
    const auto chosen = selection_.choose(call.kind, call.size, family.layout(0, call.kind));
    return cost_of_collective(call, selection_.spec(call.kind, chosen), spec_, family, topology_,
                              selection_.costs().crossing());
  };
  if (call.pair_sizes) return costs_of_uneven_.emplace_back(cost());
  const auto [found, inserted] = costs_.try_emplace({call.communicator, call.kind, call.size});
  if (inserted) found->second = cost();
  return found->second;
}

}  // namespace orrery
