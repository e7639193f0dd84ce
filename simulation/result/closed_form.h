// The closed-form estimate of a training run (workload/training_estimate.h) beside what was
// simulated, part by part, as a rank of the first stage sees it.
//
// Rates are the platform's own: of compute, the peak times what a large matrix product reaches of
// it; of a group, the bandwidth of the slowest level that it spans, without latency. Nothing is
// fitted, so what differs is what the formula leaves out.
#pragma once

#include <string>

#include "network/topology/topology.h"
#include "simulation/experiment.h"
#include "simulation/training_result.h"

namespace orrery {

// Why the formula does not apply, as a clause: "it knows no experts"; "" if it does.
std::string why_no_closed_form(const Experiment& experiment, const TransformerWorkload& workload,
                               const Topology& topology);

// Of an iteration. REQUIRES: the formula applies; `first` is the row of stage 0.
std::vector<EstimateRow> closed_form(const Experiment& experiment,
                                     const TransformerWorkload& workload, const Topology& topology,
                                     const StageRow& first);

}  // namespace orrery
