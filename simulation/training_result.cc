#include "simulation/training_result.h"

namespace orrery {

std::vector<TrainingPart> training_parts(const StageRow& stage) {
  std::vector<TrainingPart> parts{{"forward", stage.forward, false},
                                  {"backward", stage.backward, false},
                                  {"optimizer", stage.optimizer, false}};
  const bool has_bubble = stage.bubble > Duration{};
  for (const TrafficRow& row : stage.traffic) {
    const bool without = has_bubble && is_between_stages(row);
    parts.push_back({row.kind, without ? row.exposed - row.late : row.exposed, true});
  }
  parts.push_back({"bubble", stage.bubble, true});
  parts.push_back({"idle", stage.idle, false});
  return parts;
}

}  // namespace orrery
