#include "frontends/cli/export.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "core/base/config_error.h"
#include "formats/chakra/export_job.h"
#include "formats/chakra/rank_files.h"
#include "frontends/cli/named_examples.h"
#include "simulation/compute_times.h"
#include "simulation/make_job.h"

namespace orrery::cli {

namespace {

constexpr const char* kWorkload =
    "# Of orrery export chakra: workload: {file: workload.yaml}\n"
    "trace: {files: rank.%d.et, groups: groups.json, lanes: free}\n";

}  // namespace

ExitCode export_chakra(const ExportOptions& options, const Terminal& terminal) {
  const Experiment experiment = load_experiment(experiment_of(options.file), options.overrides);
  const Topology topology(experiment.topology);
  Job job = make_job(experiment, topology);
  chakra::JobExport exported(job, topology, compute_times(experiment, job));
  using Equal = chakra::RankFiles::Equal;
  chakra::RankFiles files(options.folder, options.copies ? Equal::copied : Equal::linked);
  if (!options.force && std::filesystem::exists(files.path_of(0)))
    throw ConfigError({.path = "-o",
                       .what = files.path_of(0).string() + " is there already",
                       .remedy = "name another folder, or add --force"});
  std::size_t nodes = 0;
  for (Rank rank = 0; rank < job.ranks; ++rank) {
    const std::vector<chakra::Node> of_rank = exported.nodes_of(rank);
    nodes += of_rank.size();
    files.add(rank, chakra::trace_bytes(of_rank));
  }
  const std::filesystem::path folder = options.folder;
  chakra::write_file(folder / "groups.json", exported.groups_json());
  chakra::write_file(folder / "workload.yaml", kWorkload);
  terminal.out << fmt::format(
      "{}: {} nodes of {} ranks, {} of them different; groups.json, "
      "workload.yaml\n",
      options.folder, nodes, job.ranks, files.distinct());
  return ok;
}

}  // namespace orrery::cli
