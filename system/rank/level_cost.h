// What an algorithm costs on one level of a group, over all phases that a chunk has there, and how
// long chunks wait that pass the levels in turn.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/units/units.h"
#include "system/collective/chunk_orders.h"
#include "system/rank/phase_cost.h"

namespace orrery {

struct LevelCost {
  std::size_t algorithm = 0;  // any number
  std::size_t port = 0;       // PhaseLevel::port
  Duration time = {};         // of one chunk
  PhaseCost::Load load = {};  // of the other chunks
  Duration busy = {};         // what is shared, by all chunks
  Duration at_port = {};      // likewise the busiest port
  Duration held = {};         // a port, by what a chunk posts there at once
  // The stages of each phase of a chunk, order by order; of phases of other levels none.
  std::vector<std::vector<std::vector<TimedStage>>> orders = {};
  DimensionRate rate = {};
  Duration launch = {};
  std::int64_t messages = 0;
  bool folds = true;  // as of all phases: PhaseCost
};

// Of chunks in turn: how long the last one waits for those before it. A phase holds its queue to
// its end, all phases of a level have the same links, and some levels the same ports.
Duration wait_in_turn(std::span<const LevelCost* const> levels, std::int32_t chunks);

// Of chunks beside each other: how long at least the last one waits. All of them go through the
// busiest level or port, while one is on others between its first phase there and its last. Where
// there is a root, few ranks have all that is to do: others are not busy meanwhile.
Duration wait_beside(std::span<const LevelCost* const> levels, bool has_root);

}  // namespace orrery
