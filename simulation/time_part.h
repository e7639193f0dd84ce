// Why a run takes as long as it does: the time of the rank that finishes last (of a pipeline: of
// the stage that waits least for the others, critical_stage.h) in parts, what each part is bound
// by, and which setting would change it. Rows of a result (columns.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/units.h"
#include "simulation/columns.h"
#include "system/compute_model.h"

namespace orrery {

struct RunResult;

// What a part would be shorter without.
enum class BoundBy : std::uint8_t {
  compute_rate,      // operations per second of the processor
  memory_bandwidth,  // of the processor
  launches,          // starting kernels
  slow_ranks,        // the rank computes slower than its device: jitter, a straggler
  collectives,       // that take a share of the processor (system.sm_tax)
  late_ranks,        // others had not come yet
  schedule,          // of the pipeline: other stages had not come yet
  bandwidth,         // bytes over the bandwidth of the level
  latency,           // of messages one after the other, with what they cost at their ends
  contention,        // messages share a link: TimePart::held_by
  slow_receiver,     // takes what comes more slowly than its links: TimePart::held_by
  endpoints,         // the cost of messages in the processor and memory of their ends
  losses,            // packets were lost, and sent again
  timeouts,          // packets were sent again that were not lost
  window,            // of a connection: less in flight than the link could carry meanwhile
  limits,            // on what is in flight: chunks, first_phase_limit, queue_limit
  dependencies,      // messages that wait for messages of others
  host,              // the threads of the host, in a job that is a trace
  nothing,           // idle
};
std::string_view name_of(BoundBy bound);  // "compute rate", "late ranks"
BoundBy bound_of(ComputeLimit limit);

// Of communication, what was waited for late ranks is a part of its own, without a level.
struct TimePart {
  std::string part, level;
  Duration time;
  double share = 0;
  BoundBy bound_by = BoundBy::nothing;
  std::string held_by;                // the link, the NPU, or the level of the port: see its column
  std::string beside;                 // a level that carries for as long at the same time
  Duration bandwidth, latency, rest;  // of the time waited for the network
  std::string knob;

  template <class Columns>
  static void describe(Columns& row) {
    row.column(
        "part", &TimePart::part,
        "compute, memory-bound kernels, kernel launches, optimizer, slower compute, stolen "
        "compute; what was waited for: TP, PP, ..., or the kind of collective; bubble, memory, "
        "host, idle",
        {.text = {"why"}});
    row.column("level", &TimePart::level,
               "of time waited for the network, the level of the platform; else none",
               {.text = {"on"}, .null_if_empty = true, .text_without = ""});
    row.column("time_ps", &TimePart::time,
               "its time in the whole run; the parts add up to finish_ps", {.text = {"time"}});
    row.column("share", &TimePart::share, "its share of finish_ps, 0 to 1", {.text = {"share"}});
    row.column(
        "bound_by", &TimePart::bound_by,
        "what the part would be shorter without: compute rate, memory bandwidth, kernel "
        "launches, slow ranks, collectives beside it, late ranks, pipeline schedule, "
        "bandwidth, latency, contention, a slow receiver, endpoints, losses, timeouts, window, "
        "limits, messages that wait for others, host, nothing",
        {.text = {"bound by"}});
    row.column(
        "held_by", &TimePart::held_by,
        "of contention the busiest link, of a slow receiver its NPU; of bandwidth the link that "
        "is narrower than a port of the level, or the level of the port, if it is not its own; "
        "else none",
        {.null_if_empty = true});
    row.column(
        "beside", &TimePart::beside,
        "of bandwidth, another level that carries for about as long at the same time; of "
        "compute, a level that carries for most of the time beside it: less is gained by one "
        "of them alone; else none",
        {.null_if_empty = true});
    row.column("bandwidth_ps", &TimePart::bandwidth,
               "of the time waited for the network, what the bytes take at the full bandwidth, or "
               "on the narrow link that held_by names");
    row.column("latency_ps", &TimePart::latency,
               "of the same, what the latency of messages one after the other takes");
    row.column("rest_ps", &TimePart::rest, "of the same, all else: contention or limits");
    row.column("knob", &TimePart::knob, "what to change to make it shorter; none if nothing does",
               {.null_if_empty = true});
  }
};

// How much longer a part of an iteration takes than in the fastest system of a comparison.
struct PartDifference {
  std::string part, level;
  Duration fastest, here, difference;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("part", &PartDifference::part, "a part of the time, as in why[]");
    row.column("level", &PartDifference::level, "its level, as in why[]", {.null_if_empty = true});
    row.column("fastest_ps", &PartDifference::fastest,
               "its time in an iteration of the fastest system");
    row.column("here_ps", &PartDifference::here, "its time in an iteration of this system");
    row.column("difference_ps", &PartDifference::difference,
               "here_ps - fastest_ps; all together are the difference of iteration_ps, up to the "
               "rounding of a picosecond each");
  }
};

// What an iteration takes if one thing is changed (what_if.h).
struct WhatIfRow {
  std::string change;
  Duration iteration, gain;
  double share = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("change", &WhatIfRow::change, "what is changed, and nothing else",
               {.text = {"what if"}});
    row.column("iteration_ps", &WhatIfRow::iteration,
               "an iteration with the change; of twice the samples half of it",
               {.text = {"iteration"}});
    row.column("gain_ps", &WhatIfRow::gain, "how much less that is than without it",
               {.text = {"gain"}});
    row.column("gain_share", &WhatIfRow::share, "the gain as a share of the time without it",
               {.text = {"share"}});
  }
};

// The largest difference first, whatever its sign; none of parts that take equally long.
// REQUIRES: both are complete.
std::vector<PartDifference> part_differences(const RunResult& here, const RunResult& fastest);

// Fills RunResult::difference of all but the fastest, where runs are complete.
void add_differences(std::vector<RunResult>& results);

}  // namespace orrery
