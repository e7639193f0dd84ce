// What a simulation found about the training of a transformer, as plain data. Field names follow
// docs/results.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/units/units.h"

namespace orrery {

// The waiting of one kind of parallelism, on one rank (system/rank/traffic_account.h).
struct TrafficRow {
  std::string kind;  // "TP", "PP", ...
  Duration exposed;  // waited for it, bubble and all
  Duration late;     // of that, for ranks that had not come yet
  Duration hidden;   // computed while it was under way
};

// A named share of a rank's time.
struct TrainingPart {
  std::string name;
  Duration time;
  bool exposed;  // waited
};

// One rank of each stage of the pipeline: the one that finishes last, the lowest such.
struct StageRow {
  std::int32_t stage = 0, rank = 0;
  Duration finish, forward, backward, optimizer, idle;
  Duration bubble;  // of the exposed time: waited for other stages, which had not come yet
  std::vector<TrafficRow> traffic;
};

// How much of what the processors can do an iteration takes, as one convention counts it.
struct UtilisationRow {
  std::string convention;
  double flops = 0;  // of an iteration, all ranks
};

// A part of an iteration as the closed form has it, and as a rank of the first stage had it.
struct EstimateRow {
  std::string part;
  Duration estimated, simulated;
  Duration hidden;  // what the formula counts and computing hid
};

struct TrainingResult {
  std::int32_t iterations = 1;
  std::int64_t samples = 0, tokens = 0;  // of an iteration, all ranks
  std::vector<StageRow> stages;
  std::size_t last = 0;  // of these: that of the rank that finishes last of all
  FlopRate peak;         // of one NPU; 0 = not stated
  std::vector<UtilisationRow> utilisation;
  std::vector<EstimateRow> estimate;
  std::string no_estimate;  // a clause; "" if there is one

  const StageRow& last_stage() const { return stages[last]; }
};

// True for traffic between stages: the transfers between them, and what first and last stage or all
// of them do together at the end of the iteration.
inline bool is_between_stages(const TrafficRow& row) {
  return row.kind == "PP" || row.kind == "embedding" || row.kind == "norm";
}

// All of a stage's time, forward pass first: the times add up to its finish. Kinds of traffic are
// without the bubble, which is a part of its own.
std::vector<TrainingPart> training_parts(const StageRow& stage);

}  // namespace orrery
