// A trace as a workload: the files of all ranks, their groups, lanes and dependencies. Each file is
// read once; ranks that do the same share a graph from then on.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/config_error.h"
#include "formats/chakra/rank_graph.h"
#include "formats/chakra/trace_file.h"
#include "formats/chakra/trace_groups.h"
#include "formats/chakra/trace_settings.h"
#include "workload/workload_spec.h"

namespace orrery::chakra {

// `files`: one for each rank, or one that settings.replicate ranks run. `groups`: those of
// settings.groups, or none. `levels`: of the platform. Throws ConfigError with file and node, of
// each file that is wrong.
GraphWorkload trace_workload(const TraceSettings& settings, const std::vector<TraceFile>& files,
                             const GroupRanks& groups, int levels);

// The same of as many files as can be read, for what looks into them.
struct TraceInspection {
  static constexpr std::int32_t no_graph = -1;
  GraphWorkload workload;  // graph_of_rank is no_graph where the file cannot be read
  TraceSums sums;
  std::vector<Diagnostic> problems;  // of files that cannot
};
// `needs_sizes`: false = a collective without kind or size is no mistake, and takes its time. A
// file without `open` is one that is not there.
TraceInspection inspect_trace(const TraceSettings& settings, const std::vector<TraceFile>& files,
                              const GroupRanks& groups, bool needs_sizes);

}  // namespace orrery::chakra
