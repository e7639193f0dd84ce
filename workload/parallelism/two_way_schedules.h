// Orders of pipelines whose stages have two chunks that are passed in opposite directions.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/parallelism/pipeline_schedule.h"

namespace orrery {

std::vector<PipelineStep> zbv_steps(const PipelineShape& shape, std::int32_t stage);
std::vector<PipelineStep> dualpipe_steps(const PipelineShape& shape, std::int32_t stage);
std::vector<PipelineStep> dualpipe_v_steps(const PipelineShape& shape, std::int32_t stage);

}  // namespace orrery
