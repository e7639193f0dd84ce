#include "simulation/training_result.h"

#include <algorithm>

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

const TrafficRow* traffic_of(const StageRow& stage, const std::string& kind) {
  const auto row = std::ranges::find(stage.traffic, kind, &TrafficRow::kind);
  return row == stage.traffic.end() ? nullptr : &*row;
}

std::vector<StagePartRow> stage_parts(const TrainingResult& training) {
  std::vector<StagePartRow> rows;
  for (const StageRow& stage : training.stages)
    for (const TrainingPart& part : training_parts(stage)) {
      const TrafficRow* traffic = traffic_of(stage, part.name);
      rows.push_back({stage.stage, stage.rank, part.name, part.time,
                      traffic ? traffic->late : Duration{},
                      traffic ? traffic->hidden : Duration{}});
    }
  return rows;
}

}  // namespace orrery
