#include "system/rank/job_traffic.h"

#include <algorithm>

namespace orrery {

JobTraffic::JobTraffic(const Topology& topology, const Job& job, CollectiveRecipes& recipes)
    : job_(job), recipes_(recipes), ranks_of_node_(ranks_of_local_levels(topology)) {
  for (Rank rank = 0; rank < job.ranks; ++rank) {
    const KnownOperations operations = job.operations->known_operations(rank);
    const auto [found, inserted] = programs_.try_emplace(operations.identity());
    if (!inserted) continue;
    Program& program = found->second;
    std::set<std::tuple<std::int32_t, Collective, Bytes, std::int32_t>> known;
    for (const Operation& operation : operations) {
      if (const auto* send = std::get_if<SendCall>(&operation.what))
        program.distances.insert(send->to);
      if (const auto* call = std::get_if<CollectiveCall>(&operation.what))
        if (known.emplace(call->communicator, call->kind, call->size, call->root).second)
          program.calls.push_back(*call);
    }
  }
}

void JobTraffic::targets(NodeId source, std::vector<Target>& targets) const {
  const Program& program = programs_.at(job_.operations->known_operations(source.value).identity());
  for (const std::int32_t distance : program.distances)
    targets.push_back({{source.value + distance}, 0});
  for (const CollectiveCall& call : program.calls) add_targets(source.value, call, targets);
  // Endpoints cost less inside a node.
  for (Target& target : targets)
    target.kind = target.npu.value / ranks_of_node_ == source.value / ranks_of_node_ ? 1 : 0;
}

void JobTraffic::add_targets(Rank rank, const CollectiveCall& call,
                             std::vector<Target>& targets) const {
  const GroupFamily& family = recipes_.families()[call.communicator];
  const auto member = family.find(rank);
  if (!member) return;
  const CollectiveRecipe& recipe = recipes_.of(call, member->layout);
  for (const PathRecipe& path : recipe.paths)
    for (const PhaseRecipe& phase : path.phases)
      for (std::size_t variant = 0; variant < phase.variants.size(); ++variant) {
        const Plan* plan = phase.variants[variant];
        if (has_root(phase.phase.kind))
          plan = recipes_.rooted_plan(recipe, phase, static_cast<int>(variant), call.root);
        const GroupDimension& dimension = phase.dimension;
        const Position here = dimension.coordinate(member->position);
        const Symmetry symmetry = plan->symmetry();
        const Position from = symmetry == Symmetry::none ? here : 0;
        for (const Position to : sent_to(*plan, from, dimension.size)) {
          Position there = to;
          if (symmetry == Symmetry::rotation) there = (here + to) % dimension.size;
          if (symmetry == Symmetry::exchange) there = here ^ to;
          const Position position =
              member->position + dimension.offset(there) - dimension.offset(here);
          targets.push_back({{family.rank_at(member->base, position)}, 0});
        }
      }
}

// Each position once, but no switch.
const std::vector<Position>& JobTraffic::sent_to(const Plan& plan, Position from,
                                                 std::int32_t size) const {
  const auto [found, inserted] = sent_to_.try_emplace({&plan, from});
  if (!inserted) return found->second;
  std::set<Position> positions;
  for (int lane = 0; lane < plan.lanes(); ++lane)
    for (int index = 0;; ++index) {
      const Stage stage = plan.stage(from, lane, index);
      for (std::int32_t i = 0; i < stage.sends; ++i)
        positions.insert(plan.send(from, lane, index, i).to);
      if (stage.last) break;
    }
  positions.erase(size);
  found->second.assign(positions.begin(), positions.end());
  return found->second;
}

}  // namespace orrery
