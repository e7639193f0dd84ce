// What a phase of a collective costs on one level, alone: a line over the size of its buffer. The
// predictions of `auto` are sums of these lines (selection.h).
//
// Of a plan in which all ranks do the same (Plan::symmetry) the line is a closed form. Its stages
// follow each other, each after the latency of its farthest message and the bytes of the busiest
// port. On rings and meshes a message also takes its share of each link that it passes. Of other
// plans the line goes through two simulations (prediction.h), without bytes and with many.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/units/units.h"
#include "network/crossing_bandwidth.h"
#include "network/shift_bandwidth.h"
#include "network/topology/topology.h"
#include "system/collective/group.h"
#include "system/collective_algorithm.h"
#include "system/system_spec.h"

namespace orrery {

// What a phase goes over: a level of the topology, or several of a graph that an exchange takes as
// one, because they lie behind the same links of an NPU (system/collective/group.h).
struct PhaseLevel {
  int level;  // the outermost of several
  std::int32_t members;
  int port;             // the innermost level behind the same links (Topology::port_level)
  Bandwidth at_port;    // what a port takes
  Bandwidth bandwidth;  // and what it gets while all send: less where a fabric tapers
  auto operator<=>(const PhaseLevel&) const = default;
};

// A stage, and `count` equal ones after each other, as long as they last.
struct TimedStage {
  std::int64_t count;
  Duration latency;             // from the last byte's leaving to the next stage
  Duration sending;             // on the links that all share
  Duration at_port;             // at the busiest port
  Duration on_link;             // on the busiest link, with what passes on its way to others
  std::int32_t connection = 0;  // of the level: on each, messages go in order
};

struct PhaseCost {
  struct Step {
    std::int64_t count;
    Duration latency;
    std::int64_t sending, beside, added;  // pieces at the port, on wires beside it, and added up
    std::int64_t on_link;                 // and on the busiest link
    std::int32_t connection = 0;
    bool operator==(const Step&) const = default;
  };
  std::vector<Step> steps;
  Duration latency;           // of all stages, at any size
  Duration processing;        // that the endpoints need for the messages of a chunk
  std::int64_t stages = 0;    // each pays a protocol's step
  std::int64_t in_stage = 1;  // messages that a stage posts at the busiest port
  std::int64_t messages = 0;  // that a rank sends
  std::int64_t pieces = 1;    // into which the buffer is cut; of these
  std::int64_t in_turn = 0;   //   so many follow each other on wires,
  std::int64_t at_port = 0;   //   the busiest port carries so many,
  std::int64_t added = 0;     //   and so many are added after each other
  Bandwidth bandwidth;        // that a port gets
  Bandwidth at_port_rate;     // and takes
  // Where not all ranks' messages of a stage cross slow links, what a piece gets on its way round:
  // it waits for some of them, and slow links for the pieces of others.
  std::optional<Bandwidth> on_the_way;
  std::int32_t ports = 1;  // of a rank, that carry something
  bool folds = false;      // where the buffer divides into `pieces`

  // The stages of one chunk, without the launch of a protocol.
  std::vector<TimedStage> timed(Bytes size, const SystemSpec& system,
                                const ProtocolCost* protocol) const;
  // Their sum.
  Duration time(Bytes size, const SystemSpec& system, const ProtocolCost* protocol) const;
  // How long the next chunk has to wait for this one on the links that all share, and at the port.
  struct Load {
    Duration shared, port;
  };
  Load load(Bytes size, const ProtocolCost* protocol) const;
};

class PhaseCosts {
 public:
  // REQUIRES: both outlive this.
  PhaseCosts(const Topology& topology, const SystemSpec& system);

  // What the phases of a collective of that kind go over.
  std::vector<PhaseLevel> levels_of(const GroupAlongLevels& group, Collective kind) const;
  // Whether the NPUs are nodes of their own, and all levels of the group lie behind the same links.
  bool has_one_port(const GroupAlongLevels& group) const;
  // All of them as one level. REQUIRES: has_one_port(group).
  PhaseLevel whole(const GroupAlongLevels& group) const { return joined(group); }
  // A level taken out of its platform (prediction.h), with what its members get there.
  LevelSpec alone(const PhaseLevel& level) const;
  // At least so many members of a group sit beside each other in one part of the level. More than 1
  // where a group has more members than the level has parts: 8 servers in a row, on leaves of 6.
  std::int32_t members_together(const PhaseLevel& level) const;
  // Whether messages to one NPU get less than those to many, as between routers of a dragonfly.
  bool depends_on_distance() const { return shifts_differ_; }
  // What the links of the level carry of messages to all of it. Else, where distances count, each
  // would cost a search (shift_bandwidth.h).
  bool knows_links(const PhaseLevel& level) const;
  // Whether switches make nearer groups there that the levels do not tell: leaves that are not
  // equally full, pods of several leaves.
  bool is_uneven(const PhaseLevel& level) const;
  // Of each level of the topology (network/crossing_bandwidth.h).
  std::span<const Bandwidth> crossing() const { return crossing_; }

  // Null if `auto` does not try the algorithm for that kind there
  // (system/collective/capability.h). The pointer stays valid.
  const PhaseCost* of(const NamedAlgorithm& algorithm, Collective kind, const PhaseLevel& level);

 private:
  PhaseLevel joined(std::span<const std::pair<int, std::int32_t>> levels) const;
  bool is_candidate(const NamedAlgorithm& algorithm, Collective kind,
                    const PhaseLevel& level) const;
  Bandwidth to_neighbour(Bandwidth crossing, const PhaseLevel& level) const;
  PhaseCost closed_form(const Plan& plan, const PhaseLevel& level) const;
  void slow_down(PhaseCost& cost, const std::map<Shift, std::int64_t>& stages,
                 const PhaseLevel& level, bool has_far) const;
  PhaseCost fitted(const NamedAlgorithm& algorithm, Collective kind, const PhaseLevel& at) const;

  const Topology& topology_;
  const SystemSpec& system_;
  std::vector<Bandwidth> crossing_;
  std::vector<Bandwidth> ports_;  // of an NPU on each level, while those that share its NIC send
  std::vector<SpreadBandwidth> spread_;
  bool shifts_differ_;
  bool shares_links_;  // of switches: messages go beside each other, as on the fluid backend
  std::vector<Duration> latencies_;  // across each level of a graph
  std::map<std::tuple<std::string, Collective, PhaseLevel>, std::optional<PhaseCost>> known_;
};

}  // namespace orrery
