// Which stages of a run are complete, for plans whose lanes wait for each other (Plan::gated).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/units/units.h"
#include "system/collective_algorithm.h"

namespace orrery {

class StageGates {
 public:
  StageGates(std::int32_t ranks, std::int32_t lanes)
      : lanes_(lanes), complete_(static_cast<std::size_t>(ranks) * lanes), waiting_(ranks) {}

  // A lane's stages are complete in order; saying so again changes nothing. Returns the rank's
  // lanes that wait, which should look at their gates again.
  std::vector<std::uint32_t> complete(Position rank, std::uint32_t lane, std::int32_t stage,
                                      Time when) {
    std::vector<Time>& times = complete_[index(rank, lane)];
    if (static_cast<std::int32_t>(times.size()) > stage) return {};
    times.push_back(when);
    return std::exchange(waiting_[rank], {});
  }

  // When the last of these stages is complete; if that is not known yet, `lane` waits.
  std::optional<Time> open(Position rank, std::uint32_t lane, std::span<const StageName> after) {
    Time last;
    for (const StageName& stage : after) {
      const auto& times = complete_[index(rank, static_cast<std::uint32_t>(stage.lane))];
      if (static_cast<std::int32_t>(times.size()) <= stage.stage) {
        waiting_[rank].push_back(lane);
        return std::nullopt;
      }
      last = std::max(last, times[stage.stage]);
    }
    return last;
  }

 private:
  std::size_t index(Position rank, std::uint32_t lane) const {
    return static_cast<std::size_t>(rank) * lanes_ + lane;
  }

  std::int32_t lanes_;
  std::vector<std::vector<Time>> complete_;          // of each rank and lane, stage by stage
  std::vector<std::vector<std::uint32_t>> waiting_;  // lanes, of each rank
};

}  // namespace orrery
