// A trace as a workload: the files of all ranks, their groups, lanes and dependencies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/chakra/trace_groups.h"
#include "formats/chakra/trace_settings.h"
#include "workload/workload_spec.h"

namespace orrery::chakra {

struct TraceFile {
  std::string name;
  std::string_view bytes;
};

// `files`: one for each rank, or one that settings.replicate ranks run. `groups`: those of
// settings.groups, or none. `levels`: of the platform. Throws ConfigError with file and node.
GraphWorkload trace_workload(const TraceSettings& settings, const std::vector<TraceFile>& files,
                             const GroupRanks& groups, int levels);

}  // namespace orrery::chakra
