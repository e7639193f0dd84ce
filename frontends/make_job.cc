#include "frontends/make_job.h"

#include "frontends/astra/text_workload.h"
#include "workload/workload.h"

namespace orrery {

Job make_job(const Experiment& experiment, const Topology& topology, std::int32_t iterations) {
  const int levels = static_cast<int>(topology.levels().size());
  const std::int32_t ranks = topology.npu_count();
  const auto& workload = experiment.workload.what;
  if (const auto* program = std::get_if<ProgramSpec>(&workload)) {
    return make_program_job(*program, levels, ranks, iterations);
  }
  if (const auto* text = std::get_if<TextWorkloadSpec>(&workload)) {
    LayerTable table = read_text_workload(text->file);
    count_whole_all_gathers(table, topology.levels(), text->dimensions);
    return make_training_job(table, levels, ranks, text->dimensions, iterations);
  }
  if (const auto* transformer = std::get_if<TransformerWorkload>(&workload)) {
    return make_transformer_job(*transformer, iterations);
  }
  const LayerTable table = make_dlrm(std::get<DlrmSpec>(workload), ranks);
  return make_training_job(table, levels, ranks, {}, iterations);
}

}  // namespace orrery
