#include <memory>

#include "workload/graph/graph_source.h"
#include "workload/workload.h"

namespace orrery {

Job make_graph_job(const GraphWorkload& workload) {
  Job job;
  job.name = workload.file;
  job.ranks = static_cast<std::int32_t>(workload.graph_of_rank.size());
  job.communicators = workload.communicators;
  job.labels = workload.labels;
  job.lanes = workload.lanes;
  job.operations = std::make_unique<GraphSource>(workload.graphs, workload.graph_of_rank);
  return job;
}

}  // namespace orrery
