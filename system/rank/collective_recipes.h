// How each kind of collective is done by the groups of each communicator: the phases of its chunks,
// the plans and costs of each phase. Made when the job is known; those that depend on the size of a
// call or are chosen automatically, when the first such call is made.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "network/topology/topology.h"
#include "system/collective/chunk_orders.h"
#include "system/collective/group.h"
#include "system/collective/phases.h"
#include "system/job.h"
#include "system/rank/communication_cost.h"
#include "system/rank/selection.h"
#include "system/system_spec.h"

namespace orrery {

struct PhaseRecipe {
  Phase phase;
  GroupDimension dimension;
  Digit fold = {};                    // of the members (folding.h)
  Digit digit = {};                   // of the dimension, in the order of the positions that run
  std::int32_t first_slot;            // of this phase among the runs of a chunk (PathRecipe::slots)
  std::vector<const Plan*> variants;  // chunks take them in turn
  const NamedAlgorithm* algorithm;    // that made them
  // Of its messages; where some go between nodes and some do not, those within nodes of so many
  // ranks have the second.
  Duration endpoint_delay, local_delay;
  std::int32_t ranks_of_node;
  Duration step;  // of the protocol, and the part of its bytes that is data
  Share efficiency;
  Bytes least;
};

// The phases of the chunks that pass the dimensions in one order.
struct PathRecipe {
  std::vector<PhaseRecipe> phases;
  std::int32_t slots = 0;  // runs of one chunk over all phases and ranks
  Duration launch = {};    // of its protocols
};

// How a kind of collective is done by the groups of a communicator that have one layout.
struct CollectiveRecipe {
  const GroupLayout* layout = nullptr;
  Fold fold = {};  // of the positions in the group
  HierarchicalSchedule schedule = HierarchicalSchedule::baseline;
  std::vector<PathRecipe> paths;     // one for each order; empty if it cannot be done
  std::vector<DimensionRate> rates;  // by which chunks choose among them
  std::int32_t chunks = 1;
  bool in_turn = false;  // CollectiveSpec::in_turn
  Duration launch;       // from the call until its chunks may begin
};

// What is known of a call before it is made, for reports.
struct CallReport {
  std::int32_t ranks = 0;    // of its group
  std::string algorithms;    // as text_of() of its levels
  Duration bandwidth_bound;  // bandwidth_bound(): the least time that it can take
};

class CollectiveRecipes {
 public:
  // REQUIRES: `topology` and `spec` outlive the recipes; the algorithms in `spec` support what they
  // are used for.
  CollectiveRecipes(const Topology& topology, const SystemSpec& spec,
                    const std::vector<Communicator>& communicators);

  const std::vector<GroupFamily>& families() const { return families_; }  // of each communicator

  // The recipe for a call by a group of that layout: of its kind, or where that depends on its size
  // or is automatic, of what was chosen for it. The reference stays valid.
  const CollectiveRecipe& of(const CollectiveCall& call, std::int32_t layout);

  // The plan of a phase for the root that was called for.
  const Plan* rooted_plan(const CollectiveRecipe& recipe, const PhaseRecipe& phase, int variant,
                          std::int32_t root);

  // From now on, recipes are those of a job that is folded like this. REQUIRES: where a call is
  // made, no digit of a dimension between two folded ones is not folded.
  void fold(const Fold& fold);

  CallReport report_of(const CollectiveCall& call);
  // What it costs alone. The reference stays valid.
  const CommunicationCost& cost_of(const CollectiveCall& call);

  Bytes minimum_chunk() const { return spec_.minimum_chunk; }

  // Ways through the levels: two, out and back, for each order of the schedule that has most.
  std::size_t ways() const { return ways_; }
  // Whether chunks of some calls may go in turn.
  bool takes_turns() const { return takes_turns_; }
  // Whether there are exchanges over several levels as one (GroupDimension::joined).
  bool joins_levels() const { return joins_levels_; }

  const Selection& selection() const { return selection_; }

 private:
  CollectiveRecipe make_recipe(const GroupFamily& family, const GroupLayout& layout,
                               Collective kind, const CollectiveSpec& spec);
  // Nothing if an algorithm cannot do its phase.
  std::optional<PathRecipe> make_path(const GroupLayout& layout, const CollectiveSpec& spec,
                                      const std::vector<Phase>& phases);
  void set_endpoint_delay(PhaseRecipe& phase) const;
  const Plan* plan_of(const NamedAlgorithm& algorithm, Collective kind, const GroupShape& group,
                      int variant);
  void fold(CollectiveRecipe& recipe, std::size_t communicator) const;
  void note_ways(const CollectiveSpec& spec, const GroupLayout& layout);

  const Topology& topology_;
  const SystemSpec& spec_;
  Selection selection_;
  std::vector<GroupFamily> families_;
  // By communicator and layout, as written.
  std::vector<std::vector<std::array<CollectiveRecipe, collective_count>>> recipes_;
  // By communicator, layout, kind and Selection::spec().
  std::map<std::tuple<std::int32_t, std::int32_t, Collective, std::int32_t>, CollectiveRecipe>
      selected_recipes_;
  std::map<std::tuple<std::string, Collective, GroupShape, int>, std::unique_ptr<Plan>> plans_;
  std::map<std::pair<const Plan*, Position>, std::unique_ptr<Plan>> rooted_plans_;
  // By communicator, kind and size; of an all-to-allv with sizes of its own, one after the other.
  std::map<std::tuple<std::int32_t, Collective, Bytes>, CommunicationCost> costs_;
  std::deque<CommunicationCost> costs_of_uneven_;
  std::size_t ways_ = 2;
  bool takes_turns_;
  bool joins_levels_ = false;
  std::vector<Fold> folds_;  // of the positions in the groups of each communicator
};

}  // namespace orrery
