// One rank's file as a graph of operations.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "formats/chakra/trace_labels.h"
#include "formats/chakra/trace_lanes.h"
#include "workload/graph/graph.h"

namespace orrery::chakra {

// What is the same for all ranks.
struct TraceFrame {
  const TraceSettings& settings;  // lanes: not automatic
  std::int32_t ranks;
  const TraceCommunicators& communicators;
  const TraceLaneTable& lanes;
  TraceLabels& labels;
};

// What was assumed or left out, over all ranks.
struct TraceFindings {
  std::int64_t without_root = 0;      // broadcasts, reductions, ...
  std::int64_t without_duration = 0;  // loads and stores, that have no size either
  std::int64_t sized_requests = 0;    // loads and stores that have a size alone
  std::int64_t sized_work = 0;        // computing that the roofline times
  std::int64_t on_itself = 0, on_missing = 0, nodes_in_cycles = 0, cycles = 0;
};

// Throws ConfigError with file and node.
std::shared_ptr<const Graph> rank_graph(const RankTrace& trace, Rank rank, const RankGroups& groups,
                                        const TraceFrame& frame, TraceFindings& findings);

}  // namespace orrery::chakra
