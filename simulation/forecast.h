// What a run will cost, before it begins.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/units/total.h"
#include "simulation/experiment.h"
#include "system/rank/folding.h"

namespace orrery {

class JobRunner;

struct Forecast {
  std::string unfolded_because;  // a clause; "" if some ranks stand for others
  std::int32_t ranks = 0;        // of the job
  std::int32_t simulated = 0;    // of them
  std::int64_t messages = 0;     // simulated; 0 if the ranks' programs are not known
  TotalBytes in_packets;         // of them, on a backend with packets
  double cpu_s = 0;              // about; 0 if it is not known of the backend
  std::string remedy;            // if it is long: what would shorten it, as a sentence
};

// Of many iterations and micro-batches few are looked at: each of the others sends what the last of
// them does.
Forecast forecast_of(const Experiment& experiment, Folding folding = Folding::where_exact);
// Of a job that is written down. REQUIRES: the runner has not started.
Forecast forecast_of(const Experiment& experiment, const Topology& topology, JobRunner& runner);

// Why every rank of the experiment is simulated, as a clause; "" if one stands for all.
std::string why_not_folded(const Experiment& experiment);

// "about 1.3e+06 messages, 4.1 GB in packets, are simulated, some 3 CPU s".
std::string work_text(const Forecast& forecast);

inline constexpr double kLongRun = 10;  // CPU seconds: from here on a run says so on stderr
// On stderr, before a long run: that it is, and what would shorten it; and that its model does not
// fit into memory. Returns the notices that the result has, too.
std::vector<std::string> say_if_long(const Experiment& experiment, const Forecast& forecast);

// "5 experiments are simulated, some 40 CPU s together" of many that are simulated one after the
// other; "" if that does not take long.
std::string work_together(std::span<const Experiment> experiments);

// Whether to write the job down takes longer than a forecast of it.
bool is_long_job(const WorkloadSpec& workload);

}  // namespace orrery
