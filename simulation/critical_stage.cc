#include "simulation/critical_stage.h"

namespace orrery {

const StageRow* critical_stage(const RunResult& result) {
  if (!result.training) return nullptr;
  const StageRow* least = &result.training->last_stage();
  for (const StageRow& stage : result.training->stages)
    if (stage.bubble < least->bubble) least = &stage;
  return least;
}

double unevenness(const RunResult& result) {
  const StageRow* critical = critical_stage(result);
  if (critical == nullptr) return 1;
  const auto computed = [](const StageRow& stage) {
    return static_cast<double>((stage.forward + stage.backward).value);
  };
  double others = 0;
  for (const StageRow& stage : result.training->stages)
    if (&stage != critical) others += computed(stage);
  const auto count = static_cast<double>(result.training->stages.size() - 1);
  return others > 0 ? computed(*critical) * count / others : 1;
}

}  // namespace orrery
