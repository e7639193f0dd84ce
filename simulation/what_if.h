// The same experiment with one thing changed at a time: what each change would gain is the answer
// to what should be bought, or tuned.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "simulation/experiment.h"
#include "simulation/run_result.h"

namespace orrery {

// One thing changed.
struct Alternative {
  std::string change;     // "fabric: bandwidth x 2"
  Experiment experiment;  // without problems
  // Iterations of the experiment that do as much as one with the change: 2 if a step has twice the
  // samples.
  std::int32_t iterations = 1;
};

// What "infinite" is: so many times the bandwidth. A thousandth of the time is left of what the
// bandwidth takes.
inline constexpr std::int64_t infinite_factor = 1'000;
// What "no latency" is: a picosecond a link, because ranks fold only where messages take time.
inline constexpr Duration no_latency{1};

// The changes that apply: to each level's links (of a graph also to those between switches alone;
// the bus between NPUs and NICs apart, where it would be the slowest) bandwidth and latency; to
// processors their speed, memory, launches and differences; to a pipeline its micro-batches; to
// kernels what is computed again; to the system its limits, and to the network its contention and
// faults. What the run did not spend time on is left out. REQUIRES: `result` is the complete result
// of the experiment.
std::vector<Alternative> alternatives(const Experiment& experiment, const RunResult& result);

// Fills RunResult::what_if, the largest gain first. `changed` are the results of the alternatives,
// in their order; of one that failed null.
void add_gains(RunResult& result, std::span<const Alternative> alternatives,
               std::span<const RunResult* const> changed);

enum class LinksOf : std::uint8_t {
  level,     // all
  switches,  // those between switches
  bus,       // those between NPUs and NICs
  fabric,    // all but those
};
// Links of a level, with so many times the bandwidth.
void scale_bandwidth(Experiment& experiment, int level, std::int64_t factor, LinksOf which);
// All links of a level, with another latency: `latency_of` the present one.
void change_latency(Experiment& experiment, int level,
                    const std::function<Duration(Duration)>& latency_of);

}  // namespace orrery
