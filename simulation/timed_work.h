// Whether the times of a workload's work come of the device's rates, or are recorded or written in
// it: those no faster device makes shorter.
#pragma once

#include <string>

#include "workload/workload_spec.h"

namespace orrery {

// Of any of its work. The layers of a model are timed, and so are the nodes of a trace that have a
// size and no time; the layers of a table and the operations of a program have times.
bool computes_times(const WorkloadSpec& workload);

// What makes the work of a trace, a table or a program shorter, as a clause: "shorter compute times
// in workload.program"; "" of a model's, which more ranks divide.
std::string shorter_work(const WorkloadSpec& workload);

}  // namespace orrery
