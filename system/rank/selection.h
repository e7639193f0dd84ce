// Which schedule, algorithms, chunks and protocol a call gets: those of the size range it falls
// into, and where these are open, the ones that are predicted to be fastest.
//
// Where the algorithms are automatic, automatic_choice.h chooses them, with what else is open.
// Where they are named and only the protocol is open, or run flat over several levels, what is
// least by prediction.h is taken, equal times in the order of the list.
//
// A dimension of a group that spans several levels is predicted as if it lay on the outermost of
// them, a level of a graph as a switch, or as fully connected if its NPUs are. The switch has the
// latency between the nearest NPUs, and the bandwidth that an NPU gets while all send across the
// level (network/crossing_bandwidth.h).
//
// A choice is made once for each kind, size and shape of group, and kept.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "network/topology/topology.h"
#include "system/collective/group.h"
#include "system/rank/automatic_choice.h"
#include "system/rank/phase_cost.h"
#include "system/system_spec.h"

namespace orrery {

// What was chosen for a kind, size and shape, for reports.
struct Choice {
  Collective kind = Collective::all_reduce;
  Bytes size;
  std::vector<int> levels;          // of the group
  std::vector<std::int32_t> sizes;  // of the group along them
  std::int32_t spec = 0;            // Selection::spec()
  bool automatic = false;           // predicted, not only looked up in ranges
  bool any_chunks = false;          // the number of chunks, too
  Duration predicted;               // if automatic
  std::int64_t candidates = 0;      // predicted
};

// Up to so many messages of all ranks, what is chosen is simulated for the time that is reported.
inline constexpr std::int64_t kMostMessagesOfChoice = 1 << 13;

class Selection {
 public:
  // REQUIRES: the references outlive the selection.
  Selection(const Topology& topology, const SystemSpec& system);

  static constexpr std::int32_t as_written = -1;
  // The number of the spec of a call; as_written if it is that of SystemSpec::collectives. The
  // layout is the one that the kind sees (GroupFamily::layout).
  std::int32_t choose(Collective kind, Bytes size, const GroupLayout& layout);
  // Has an algorithm for each level of the topology, no range, nothing automatic, unless nothing
  // can do the call: then it is still automatic.
  const CollectiveSpec& spec(Collective kind, std::int32_t number) const {
    return number == as_written ? written_[static_cast<std::size_t>(kind)] : specs_[number];
  }

  // What an automatic rule without ranges gets for a group: an algorithm for each level that its
  // phases go over.
  // None if no algorithm can do it.
  std::optional<AutomaticChoice> fastest(const CollectiveSpec& rule, const GroupAlongLevels& group,
                                         Collective kind, Bytes size);

  Bytes minimum_chunk() const { return system_.minimum_chunk; }
  const PhaseCosts& costs() const { return costs_; }

  // In the order in which they were made.
  const std::vector<Choice>& choices() const { return choices_; }

 private:
  std::int32_t number_of(const CollectiveSpec& spec);

  const Topology& topology_;
  const SystemSpec& system_;
  std::array<CollectiveSpec, collective_count> written_;  // with CollectiveSpec::in_turn
  PhaseCosts costs_;
  std::map<std::tuple<Collective, Bytes, GroupAlongLevels>, std::int32_t> numbers_;
  std::deque<CollectiveSpec> specs_;
  std::vector<Choice> choices_;
};

// How a group over these levels of the topology is served: "ring"; "direct+ring" if they differ;
// with "/ll" if there is a protocol; where there are several levels, with the schedule:
// "direct+ring/ll, local_bandwidth_aware"; chunks that go one by one: "ring:2, themis one by one";
// under a protocol, with what NCCL sends between nodes: "ring/ll, local_bandwidth_aware in turn".
std::string text_of(const std::vector<int>& levels, const CollectiveSpec& spec);
// With the chunks where they were chosen: "ring, 4 chunks".
std::string text_of(const Choice& choice, const CollectiveSpec& spec);

}  // namespace orrery
