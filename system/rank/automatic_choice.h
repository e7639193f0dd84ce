// What `algorithms: auto` chooses for a call: for each level an algorithm, with a schedule, a
// number of chunks and a protocol where these are left open.
//
// A candidate costs the launch of its protocol and what its chunks take, which are followed message
// by message through the stages of all levels (phase_cost.h, chunk_line.h). That takes longer than
// all else, so it is done for those only of which a lower bound is near the fastest: all stages of
// one chunk, and what the busiest port or level carries of the others. Levels of a graph behind the
// same links of an NPU have one port, which carries what all of them need.
//
// So are chunks in several orders, in the queues of each order (interleaved_orders.h).
//
// All combinations of the algorithms of capability.h are computed. Sums and gathers run beside
// other traffic: a message of a pipeline that comes in between waits as long as what they post at
// once takes a port. So the time of a call and this wait are added, once,
// whatever the job. Of candidates within a tenth of the fastest call, those within a hundredth of
// the least sum are left. Of these, one that folds goes first (docs/decisions/0010), then what
// takes a port for the shortest time, then the fewest messages, then the fastest, then the first.
//
// The costs of a protocol were measured on whole calls of one level: what a library overlaps there
// is in them already. So under a protocol a call has one chunk on one level, and those of a call
// over several levels pass each of them in turn: what overlaps is the levels. They are followed,
// too, with one place on each level and way. (Plans with a root
// are made of chunks that follow each other, as in a library.) Only algorithms that libraries have
// are tried then, and those that a row of `protocols` names.
//
// NPUs that are plugged straight into leaves are nodes of their own. Libraries lead one ring or
// tree through all of them, so a sum or gather is tried flat there, too: all levels as one.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/units/units.h"
#include "system/rank/phase_cost.h"
#include "system/system_spec.h"

namespace orrery {

struct AutomaticChoice {
  CollectiveSpec spec;        // with an algorithm for each level that its phases go over
  Duration predicted;         // alone, as above
  std::int64_t messages = 0;  // of a rank
  std::int64_t candidates = 0;
  std::vector<Duration> at_ports = {};  // by port level: so long the busiest one sends
};

// That are chosen, of chunks that take one order of the levels and of those that take several.
inline constexpr std::int32_t kMostChunks = 32, kMostChunksInOrders = 128;
// A piece that `direct` cuts for an all-reduce is not smaller: libraries send a few bytes whole.
inline constexpr Bytes kLeastPiece = bytes(8);

// `rule` has automatic algorithms, no ranges, and is not flat over several levels. None if no
// candidate can do it. Throws RangeError if all of them leave the clock.
std::optional<AutomaticChoice> choose_automatically(const Topology& topology,
                                                    const SystemSpec& system, PhaseCosts& costs,
                                                    const CollectiveSpec& rule,
                                                    const GroupAlongLevels& group, Collective kind,
                                                    Bytes size);

// Those that may be named: the rule's own, or, if it is automatic, all that have costs.
std::vector<Protocol> protocols_of(const CollectiveSpec& rule, const SystemSpec& system);

}  // namespace orrery
