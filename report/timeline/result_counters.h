// What a result knows over time, as counters of a trace: levels and links of --activity, queues
// that network.switch.watch names, memories of switches.
#pragma once

#include "report/timeline/track_event_writer.h"
#include "simulation/run_result.h"

namespace orrery {

void write_counters(TrackEventWriter& writer, const RunResult& result);

}  // namespace orrery
