// The training loop of a transformer: for each stage of the pipeline one program (stage_writer.h),
// which all ranks of the stage share, or one for each kind of place in a ring (ring_places.h).
#include <utility>

#include "workload/graph/program.h"
#include "workload/parallelism/ring_places.h"
#include "workload/parallelism/stage_writer.h"
#include "workload/workload.h"

namespace orrery {

Job make_transformer_job(const TransformerWorkload& workload, std::int32_t iterations,
                         const AskStop& stop) {
  const TransformerRanks ranks(workload.training);
  Groups groups(workload);
  Rows rows;
  const auto routed = std::make_shared<RoutedWork>(workload);
  const RingPlaces places(workload.training);
  std::vector<Program> programs;
  for (std::int32_t stage = 0; stage < ranks.pipeline; ++stage) {
    StageWriter writer(workload, groups, *routed, stage, rows, stop);
    for (std::int32_t i = 0; i < iterations; ++i) writer.write_iteration(i);
    std::vector<Operation> operations = writer.take();
    const RingPlaces::Neighbours neighbours = writer.take_neighbours();
    const Program::Entries entries = writer.take_entries();
    const auto written_at = std::make_shared<const Program::Places>(writer.take_places());
    for (std::int32_t variant = 0; variant < places.variants(); ++variant) {
      const bool last = variant + 1 == places.variants();
      Program& program = programs.emplace_back(
          places.operations(last ? std::move(operations) : operations, neighbours, variant),
          Program::Peers::distances);
      program.fill_in(entries, routed);
      program.set_places(written_at);
    }
  }
  std::vector<std::int32_t> program_of_rank;
  for (Rank rank = 0; rank < ranks.count(); ++rank)
    program_of_rank.push_back(ranks.stage_of(rank) * places.variants() + places.variant_of(rank));

  Job job;
  job.name = "transformer training";
  job.ranks = ranks.count();
  job.communicators = groups.take();
  job.labels = rows.take();
  job.operations = std::make_unique<ProgramSource>(std::move(programs), std::move(program_of_rank));
  return job;
}

}  // namespace orrery
