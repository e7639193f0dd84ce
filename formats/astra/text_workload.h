// ASTRA-sim 1.0 text workloads (github.com/astra-sim/astra-sim, branch ASTRA-sim-1.0):
//
//   POLICY [argument]
//   NUMBER_OF_LAYERS
//   name  dependency  forward: time COLLECTIVE size   input gradient: time COLLECTIVE size
//                     weight gradient: time COLLECTIVE size   update time
//
// Twelve columns a layer, separated by any white space, one layer a line; times in cycles of 1 ns,
// sizes in bytes. The dependency is not used. COLLECTIVE is NONE, ALLREDUCE, ALLTOALL, ALLGATHER,
// REDUCESCATTER or BROADCAST. Policies: those of ParallelismPolicy; HYBRID_DLRM and
// HYBRID_DLRM_ENHANCED take the index of the last layer of the bottom MLP as argument. Line ends
// may be CRLF, blank lines are skipped.
//
// HYBRID_TRANSFORMER and HYBRID_TRANSFORMER_FWD_IN_BCKWD are also what SimAI
// (github.com/aliyun/SimAI) and AICB write: items like "model_parallel_NPU_group: 8" in any order,
// and behind a COLLECTIVE _EP or _DP_EP for the ranks that share or have the same experts.
//
// Stricter than ASTRA-sim: whatever is not understood is an error. ASTRA-sim takes an unknown
// COLLECTIVE for NONE, and goes on with what it has read when a number is not one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workload/layer_table.h"

namespace orrery {

// Throws ConfigError with every problem found (at most 20), whatever the bytes; `file_name` is only
// for the messages. Sizes stay as the file has them: that of an ALLGATHER is what each rank
// contributes, see workload/parallelism/all_gather_sizes.h; of transformers the whole output, as
// AICB writes it.
LayerTable parse_text_workload(std::string_view text, std::string file_name);

}  // namespace orrery
