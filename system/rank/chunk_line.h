// How chunks of a call that go through phases in a line hold each other up: a stage of a chunk
// waits for the stages that others have posted before. So the first one is held up by all that came
// after it, as long as a phase has more stages to go.
#pragma once

#include <cstdint>
#include <span>

#include "system/rank/phase_cost.h"

namespace orrery {

// When the first and the last of the chunks come out of the phases so far.
struct ChunkLine {
  Duration first, last;
};

// Behind one phase more.
ChunkLine through(std::span<const TimedStage> stages, ChunkLine line, std::int32_t chunks);

}  // namespace orrery
