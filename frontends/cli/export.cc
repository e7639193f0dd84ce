#include "frontends/cli/export.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "core/base/config_error.h"
#include "core/base/io_error.h"
#include "core/base/text_file.h"
#include "formats/chakra/export_job.h"
#include "frontends/cli/named_examples.h"
#include "simulation/compute_times.h"
#include "simulation/make_job.h"

namespace orrery::cli {

namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw IoError(fmt::format("cannot write {}", path.string()));
}

// The files of ranks; equal ones are one file with several names, unless copies are wanted.
class RankFiles {
 public:
  explicit RankFiles(const ExportOptions& options) : options_(options) {
    std::error_code error;
    fs::create_directories(options.folder, error);
    if (error) throw IoError(fmt::format("cannot make {}: {}", options.folder, error.message()));
    if (!options.force && fs::exists(path_of(0)))
      throw ConfigError({.path = "-o",
                         .what = path_of(0).string() + " is there already",
                         .remedy = "name another folder, or add --force"});
  }

  void add(Rank rank, const std::string& bytes) {
    const fs::path path = path_of(rank);
    std::error_code ignored;
    fs::remove(path, ignored);  // it may be a link to what is still needed
    for (const auto& [hash, known] : options_.copies ? none_ : alike(bytes)) {
      std::error_code error;
      if (read_text_file(known.string()) != bytes) continue;
      fs::create_hard_link(known, path, error);
      if (!error) return;
    }
    write(path, bytes);
    known_.emplace(std::hash<std::string>()(bytes), path);
  }
  std::size_t distinct() const { return known_.size(); }

 private:
  using Known = std::unordered_multimap<std::size_t, fs::path>;

  fs::path path_of(Rank rank) const {
    return fs::path(options_.folder) / fmt::format("rank.{}.et", rank);
  }
  Known alike(const std::string& bytes) const {
    const auto [begin, end] = known_.equal_range(std::hash<std::string>()(bytes));
    return {begin, end};
  }

  const ExportOptions& options_;
  Known known_;
  const Known none_;
};

constexpr const char* kWorkload =
    "# Of orrery export chakra: workload: {file: workload.yaml}\n"
    "trace: {files: rank.%d.et, groups: groups.json, lanes: free}\n";

}  // namespace

ExitCode export_chakra(const ExportOptions& options, const Terminal& terminal) {
  const Experiment experiment = load_experiment(experiment_of(options.file), options.overrides);
  const Topology topology(experiment.topology);
  Job job = make_job(experiment, topology);
  chakra::JobExport exported(job, topology, compute_times(experiment, job));
  RankFiles files(options);
  std::size_t nodes = 0;
  for (Rank rank = 0; rank < job.ranks; ++rank) {
    const std::vector<chakra::Node> of_rank = exported.nodes_of(rank);
    nodes += of_rank.size();
    files.add(rank, chakra::trace_bytes(of_rank));
  }
  write(fs::path(options.folder) / "groups.json", exported.groups_json());
  write(fs::path(options.folder) / "workload.yaml", kWorkload);
  terminal.out << fmt::format(
      "{}: {} nodes of {} ranks, {} of them different; groups.json, "
      "workload.yaml\n",
      options.folder, nodes, job.ranks, files.distinct());
  return ok;
}

}  // namespace orrery::cli
