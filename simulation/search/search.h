// What `orrery search` finds: allowed configurations that fit, each with an estimate of its time
// (workload/schedule_estimate.h), the best of them simulated.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "simulation/experiment.h"
#include "simulation/search/fitting.h"

namespace orrery {

struct SearchRow {
  FittingChoice found;
  Duration estimate;                      // of an iteration
  std::optional<Duration> simulated;      // the same; none = only estimated
  std::vector<std::string> ignored = {};  // by the backend of the simulation, of what the file says
  bool pareto = false;  // no other configuration has both a lower estimate and less memory

  Duration time() const { return simulated.value_or(estimate); }
};

struct SearchResult {
  std::string name, backend;
  EfficiencyInForce efficiency;
  ProtocolsInForce protocols;
  std::string assumed;  // "batch 512 ASSUMED; sequence 8192 ASSUMED": not in the file; or ""
  std::int32_t npus = 0;
  FittingChoices choices;         // `fitting` has gone into `rows`
  std::vector<SearchRow> rows;    // those that are simulated first, then by time
  std::size_t not_estimated = 0;  // fit, and are not among the rows: the work was ended early
  bool partial = false;           // it was ended early, by then or in the simulations
};

// Estimates all that fit and sorts them by that, marking the Pareto set. Neither the number of
// workers nor their speed changes the result. `progress` as of fitting_choices(). REQUIRES:
// workers > 0.
SearchResult estimate_choices(const TrainingVariants& variants, FittingChoices choices,
                              std::size_t workers,
                              const std::function<bool(std::size_t done)>& progress = {});

// The first of the rows that estimate_choices() has of them, if any. What cannot be as fast as
// another (ScheduleEstimator::least) is left out without an estimate.
std::optional<FittingChoice> fastest_choice(const TrainingVariants& variants,
                                            const std::vector<FittingChoice>& fitting);

// After some rows got their simulated time.
void sort_by_time(std::vector<SearchRow>& rows);

// How well the estimates of what was simulated are.
struct EstimateQuality {
  std::int64_t rows = 0;
  double least = 0, most = 0;  // estimate / simulated - 1
  double spearman = 0;         // rank correlation; 1 = the same order
};
EstimateQuality quality_of(const std::vector<SearchRow>& rows);

}  // namespace orrery
