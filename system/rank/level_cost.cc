#include "system/rank/level_cost.h"

#include <algorithm>

namespace orrery {

Duration wait_in_turn(std::span<const LevelCost* const> levels, std::int32_t chunks) {
  const std::int32_t others = chunks - 1, late = std::max(0, chunks - 2);
  Duration longest;
  std::vector<Duration> at_ports;
  for (const LevelCost* level : levels) {
    Duration shared;
    at_ports.resize(std::max(at_ports.size(), level->port + 1));
    for (const std::vector<TimedStage>& phase : level->orders.front()) {
      Duration turn, met;
      for (const TimedStage& stage : phase) {
        turn += (stage.sending + stage.latency) * stage.count;
        met += stage.sending * (level->drifts ? stage.count : 0);
        shared += stage.sending * stage.count;
        at_ports[level->port] += stage.at_port * stage.count;
      }
      longest = std::max(longest, turn * others + met * late);
    }
    longest = std::max(longest, shared * others);
  }
  return std::max(longest, std::ranges::max(at_ports) * others);
}

}  // namespace orrery
