// What a simulation found about the training of a transformer, as rows of a result (columns.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "simulation/columns.h"

namespace orrery {

// The waiting of one kind of parallelism, on one rank (system/rank/traffic_account.h).
struct TrafficRow {
  std::string kind;  // "TP", "PP", ...
  Duration exposed, late, hidden;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("kind", &TrafficRow::kind, "kind of parallelism, like TP or PP");
    row.column("exposed_ps", &TrafficRow::exposed, "time waited for it, with the bubble");
    row.column("late_ps", &TrafficRow::late,
               "part of exposed_ps: time waited for ranks that had not come yet");
    row.column("hidden_ps", &TrafficRow::hidden, "time computed while it was under way");
  }
};

// A named share of a rank's time.
struct TrainingPart {
  std::string name;
  Duration time;
  bool exposed;  // waited

  template <class Columns>
  static void describe(Columns& row) {
    row.column("part", &TrainingPart::name,
               "forward, backward, optimizer, then the time waited by kind, bubble, idle");
    row.column("time_ps", &TrainingPart::time,
               "its time in the whole run; the parts add up to finish_ps");
  }
};

struct StageRow;
// All of a stage's time, forward pass first: the times add up to its finish. Kinds of traffic are
// without the bubble, which is a part of its own.
std::vector<TrainingPart> training_parts(const StageRow& stage);

// One rank of each stage of the pipeline: the one that finishes last, the lowest such.
struct StageRow {
  std::int32_t stage = 0, rank = 0;
  Duration finish, forward, backward, optimizer, idle;
  Duration bubble;  // of the exposed time: waited for other stages, which had not come yet
  std::vector<TrafficRow> traffic;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("stage", &StageRow::stage, "number of the stage, from 0");
    row.column("rank", &StageRow::rank, "the rank of the stage that finishes last");
    row.column("finish_ps", &StageRow::finish, "when that rank finishes");
    row.rows("parts_ps", training_parts, "part of its time", {.keyed = true});
    row.rows("traffic", &StageRow::traffic, "kind of parallelism");
  }
};

// A part of the time of a stage, with what is known of it.
struct StagePartRow {
  std::int32_t stage = 0, rank = 0;
  std::string part;
  Duration time, late, hidden;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("stage", &StagePartRow::stage, "number of the stage, from 0");
    row.column("rank", &StagePartRow::rank, "the rank of the stage that finishes last");
    row.column("part", &StagePartRow::part, "name of the part, as in training.stages[].parts_ps");
    row.column("time_ps", &StagePartRow::time, "its time in the whole run");
    row.column("late_ps", &StagePartRow::late,
               "of a kind of traffic, the time waited for ranks that had not come yet; else 0");
    row.column("hidden_ps", &StagePartRow::hidden,
               "of a kind of traffic, the time computed while it was under way; else 0");
  }
};

// How much of what the processors can do an iteration takes, as one convention counts it.
struct UtilisationRow {
  std::string convention;
  double flops = 0;  // of an iteration, all ranks
  double flops_per_s_npu = 0;
  std::optional<double> utilisation = std::nullopt;  // of the peak; none if that is not stated

  template <class Columns>
  static void describe(Columns& row) {
    row.column("convention", &UtilisationRow::convention,
               "the way to count: model, causal, palm, six_n, recomputed or executed");
    row.column("flops", &UtilisationRow::flops, "operations of an iteration, by all ranks");
    row.column("flops_per_s_npu", &UtilisationRow::flops_per_s_npu,
               "mean rate of an NPU, operations per second");
    row.column("utilisation", &UtilisationRow::utilisation,
               "share of the peak, 0 to 1; none without a peak");
  }
};

// A part of an iteration as the closed form has it, and as a rank of the first stage had it.
struct EstimateRow {
  std::string part;
  Duration estimated, simulated;
  Duration hidden;  // what the formula counts and computing hid

  template <class Columns>
  static void describe(Columns& row) {
    row.column("part", &EstimateRow::part, "name of a part of an iteration, on the first stage");
    row.column("estimated_ps", &EstimateRow::estimated, "its time by the closed form");
    row.column("simulated_ps", &EstimateRow::simulated, "its time in the simulation");
    row.column("hidden_ps", &EstimateRow::hidden, "time that the formula counts and computing hid");
  }
};

struct TrainingResult {
  std::int32_t iterations = 1;
  std::int64_t samples = 0, tokens = 0;
  double samples_per_s = 0, tokens_per_s = 0, tokens_per_s_npu = 0;  // means of the whole run
  std::vector<StageRow> stages;
  std::size_t last = 0;  // of these: that of the rank that finishes last of all
  FlopRate peak;
  std::vector<UtilisationRow> utilisation;
  std::vector<EstimateRow> estimate;
  std::string no_estimate;
  double dropped = 0;    // of copies of tokens that go to experts (dropped_copies.h)
  bool freezes = false;  // with LoRA: weights without gradients, beside adapters with them

  const StageRow& last_stage() const { return stages[last]; }

  template <class Columns>
  static void describe(Columns& row) {
    row.column("samples", &TrainingResult::samples, "samples of an iteration, by all ranks");
    row.column("tokens", &TrainingResult::tokens, "tokens of an iteration, by all ranks");
    row.column("samples_per_s", &TrainingResult::samples_per_s,
               "samples per second, mean of the run");
    row.column("tokens_per_s", &TrainingResult::tokens_per_s, "tokens per second, mean of the run");
    row.column("tokens_per_s_npu", &TrainingResult::tokens_per_s_npu, "the same, of an NPU");
    row.column(
        "peak_flops_per_s", [](const TrainingResult& training) { return training.peak.value; },
        "peak of an NPU, operations per second; 0 if it is not stated");
    row.column("dropped", &TrainingResult::dropped,
               "share of the copies of tokens that experts without room drop, 0 to 1 "
               "(training.expert_capacity)");
    row.rows("utilisation", &TrainingResult::utilisation, "way to count operations");
    row.column(
        "last_stage", [](const TrainingResult& training) { return training.last_stage().stage; },
        "the stage of the rank that finishes last");
    row.rows("stages", &TrainingResult::stages, "stage of the pipeline");
    row.rows("estimate", &TrainingResult::estimate, "part of an iteration");
    row.column("no_estimate", &TrainingResult::no_estimate,
               "why there is no estimate, as a clause; none if there is one",
               {.null_if_empty = true});
  }
};

// True for traffic between stages: the transfers between them, and what first and last stage or all
// of them do together at the end of the iteration.
inline bool is_between_stages(const TrafficRow& row) {
  return row.kind == "PP" || row.kind == "embedding" || row.kind == "norm";
}

const TrafficRow* traffic_of(const StageRow& stage, const std::string& kind);  // nullptr: none

std::vector<StagePartRow> stage_parts(const TrainingResult& training);

}  // namespace orrery
