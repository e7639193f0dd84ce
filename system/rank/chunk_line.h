// How long chunks take that all go through the same phases, beginning with the same level.
//
// They are followed message by message. A stage sends one, which waits on its connection for those
// that other chunks have posted before; so the first chunk is held up in a phase by all that came
// after it, as long as it has stages to go. What begins at one time shares a level's links, and the
// port of several levels, fairly (docs/models/fluid.md). A stage's latency follows, then the
// chunk's next stage.
//
// Where a phase has places, so many chunks are in it at once, or in those of the same queue: the
// next one begins when one of them has ended its last stage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "system/rank/phase_cost.h"

namespace orrery {

struct PhaseInLine {
  std::size_t level = 0, port = 0;  // any numbers
  std::span<const TimedStage> stages = {};
  std::size_t queue = 0;    // any number; all phases of a queue have as many
  std::int32_t places = 0;  // 0: no limit
};

// Of many equal stages some go together. At most the end of the clock.
Duration time_in_line(const std::vector<PhaseInLine>& phases, std::int32_t chunks);

}  // namespace orrery
