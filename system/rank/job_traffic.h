// Who sends to whom in a job, as its programs and the plans of its collectives say: what a network
// looks at before ranks are folded.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "network/folded_traffic.h"
#include "system/job.h"
#include "system/rank/collective_recipes.h"

namespace orrery {

class JobTraffic final : public FoldedTraffic {
 public:
  // REQUIRES: the operations of all ranks are known, and those that send name distances. All
  // arguments outlive this.
  JobTraffic(const Topology& topology, const Job& job, CollectiveRecipes& recipes);

  // Those of point-to-point messages, by distance; then of each collective in the order of the
  // program, of each phase, as its plan says.
  void targets(NodeId source, std::vector<Target>& targets) const override;

 private:
  struct Program {
    std::set<std::int32_t> distances;
    std::vector<CollectiveCall> calls;  // that have different targets
  };

  void add_targets(Rank rank, const CollectiveCall& call, std::vector<Target>& targets) const;
  const std::vector<Position>& sent_to(const Plan& plan, Position from, std::int32_t size) const;

  const Job& job_;
  CollectiveRecipes& recipes_;
  std::int32_t ranks_of_node_;
  std::map<const void*, Program> programs_;  // by the identity of their operations
  // Of plans that were asked for, by position; of a symmetric one, at position 0.
  mutable std::map<std::pair<const Plan*, Position>, std::vector<Position>> sent_to_;
};

}  // namespace orrery
