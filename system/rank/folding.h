// Folding: where all ranks of a job are alike, one of them is simulated and stands for all.
//
// A platform out of levels looks the same from every NPU: turning each level by some places maps
// links to links. If every rank runs the same program, every plan that it calls for is uniform
// (Plan::is_uniform) and cuts its buffer into equal pieces, then what rank r does is what rank 0
// does, turned by r. So rank 0 alone is run; what it sends to rank q stands for what comes to it
// from the rank that is as far below it, at the same time (NetworkBackend::fold). The result is
// that of the full run, to the picosecond and the byte (docs/decisions/0005 and 0006).
#pragma once

#include <cstdint>
#include <string>

#include "network/topology/topology.h"
#include "system/job.h"
#include "system/rank/collective_scheduler.h"

namespace orrery {

enum class Folding : std::uint8_t { off, where_exact };

// Why rank 0 cannot stand for all ranks of the job, as a clause: "rank 3 runs another program than
// rank 0"; "" if it can, as far as the network can too.
std::string why_not_fold(const Topology& topology, const Job& job,
                         const CollectiveScheduler& scheduler);

}  // namespace orrery
