#include "simulation/critical_stage.h"

namespace orrery {

const StageRow* critical_stage(const RunResult& result) {
  if (!result.training) return nullptr;
  const StageRow* least = &result.training->last_stage();
  for (const StageRow& stage : result.training->stages)
    if (stage.bubble < least->bubble) least = &stage;
  return least;
}

}  // namespace orrery
