// The part of a run's time that binds an iteration whose communication goes on beside computing.
//
// A level that carries B of the run's F takes B however fast its ranks compute: that gains F - B at
// most. Where a rank waits for the bytes of that level for longer, its bandwidth is what binds the
// run, however much time goes to computing.
#pragma once

#include "simulation/run_result.h"

namespace orrery {

// Of the level that sets the bound, the longest part that its bandwidth binds. Null if computing is
// what faster hardware shortens more, if nothing is computed beside communication, or if the bound
// is none (a backend without contention).
const TimePart* binding_part(const RunResult& result);

// Puts it before the longest part. Parts of computing that are longer than what is gained without
// them say so: "; at most 7.6 % is gained, as unit carries for the rest of the time".
void put_binding_part_first(RunResult& result);

// A link that is full as messages meet on it by chance comes before parts of its kind that wait for
// it: those that have its knob.
void put_full_link_first(RunResult& result);

}  // namespace orrery
