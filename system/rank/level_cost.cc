#include "system/rank/level_cost.h"

#include <algorithm>

namespace orrery {
namespace {

// How long a chunk is on other ports, between its first phase at this one and its last.
Duration away_from(std::size_t port, std::span<const LevelCost* const> levels) {
  Duration away, since;
  bool seen = false;
  for (std::size_t phase = 0; phase < levels.front()->orders.front().size(); ++phase)
    for (const LevelCost* level : levels) {
      const std::vector<TimedStage>& stages = level->orders.front()[phase];
      if (level->port == port && !stages.empty()) {
        if (seen) away += since;
        since = {};
        seen = true;
        continue;
      }
      for (const TimedStage& stage : stages) since += (stage.sending + stage.latency) * stage.count;
    }
  return away;
}

}  // namespace

Duration wait_in_turn(std::span<const LevelCost* const> levels, std::int32_t chunks) {
  const std::int32_t others = chunks - 1;
  Duration longest;
  std::vector<Duration> at_ports;
  for (const LevelCost* level : levels) {
    Duration shared;
    at_ports.resize(std::max(at_ports.size(), level->port + 1));
    for (const std::vector<TimedStage>& phase : level->orders.front()) {
      Duration turn;
      for (const TimedStage& stage : phase) {
        turn += (stage.sending + stage.latency) * stage.count;
        shared += stage.sending * stage.count;
        at_ports[level->port] += stage.at_port * stage.count;
      }
      longest = std::max(longest, turn * others);
    }
    longest = std::max(longest, shared * others);
  }
  return std::max(longest, std::ranges::max(at_ports) * others);
}

Duration wait_beside(std::span<const LevelCost* const> levels, bool has_root) {
  Duration longest;
  for (const LevelCost* level : levels) {
    Duration at_port;
    for (const LevelCost* other : levels)
      if (other->port == level->port) at_port += other->load.port;
    const Duration busiest = std::max(at_port, level->load.shared);
    const Duration away = has_root ? Duration{} : away_from(level->port, levels);
    longest = std::max(longest, busiest - away);
  }
  return longest;
}

}  // namespace orrery
