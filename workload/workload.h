// The workload layer's door: from a description to a job that the system layer can run.
#pragma once

#include <cstdint>
#include <vector>

#include "network/topology/topology.h"
#include "system/job.h"
#include "workload/job_stopped.h"
#include "workload/layer_table.h"
#include "workload/workload_spec.h"

namespace orrery {

// The table of a DLRM on `ranks` ranks. REQUIRES: the sizes of `spec` are positive and ranks
// divides global_batch (problems.h).
LayerTable make_dlrm(const DlrmSpec& spec, std::int32_t ranks);

// The training loop of table.policy, `iterations` times, on every NPU of a platform with `levels`
// levels and `ranks` NPUs. dimensions[i] is the level that plays the policy's dimension i; empty =
// the level itself. REQUIRES: dimensions is empty or a permutation of 0 .. levels-1.
Job make_training_job(const LayerTable& table, int levels, std::int32_t ranks,
                      const std::vector<int>& dimensions, std::int32_t iterations);

// `iterations` of a transformer's training loop. Throws JobStopped. REQUIRES: problems_of(workload,
// platform) finds none (problems.h).
Job make_transformer_job(const TransformerWorkload& workload, std::int32_t iterations,
                         const AskStop& stop = {});

// `iterations` of data-parallel training. REQUIRES: at least one worker; positive sizes.
Job make_stack_job(const StackTraining& training, int levels, std::int32_t ranks,
                   std::int32_t iterations);

// A hand-written job, repeated `iterations` times. Communicator 0 is all ranks. Throws JobStopped.
Job make_program_job(const ProgramSpec& spec, int levels, std::int32_t ranks,
                     std::int32_t iterations, const AskStop& stop = {});

// A job as graphs, once.
Job make_graph_job(const GraphWorkload& workload);

}  // namespace orrery
