#include "execution/sweep/sweep_hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/base/io_error.h"
#include "execution/process/other_program.h"
#include "execution/sweep/shard_command.h"
#include "execution/sweep/sweep_limits.h"
#include "report/result_folder.h"
#include "report/sweep_manifest.h"
#include "simulation/provenance.h"

namespace orrery {

namespace {

namespace fs = std::filesystem;

// So many for each host: those that are faster do more, and little is lost with a host.
constexpr std::size_t shards_of_host = 16;

// A shard, as parallel runs it: {} is its number. With `fetch` a host has a folder of its own. What
// is to be fetched has to be there, also if the shard keeps no folders, or no lines.
std::string command_of_shard(const SweepOptions& options, std::size_t shards) {
  std::string command;
  if (options.fetch)
    command = fmt::format("mkdir -p {0}/points && touch {0}/shard-{{}}-of-{1}.jsonl && ",
                          shell_text({options.output}), shards);
  return command + shell_text(shard_command(options)) + fmt::format(" --shard {{}}/{}", shards);
}

// All that the host has: what an earlier shard left there is here already, and rsync leaves it.
std::vector<std::string> fetched(const SweepOptions& options, std::size_t shards) {
  if (!options.fetch) return {};
  const std::string folder = fs::absolute(options.output).lexically_normal().string();
  return {"--return", folder + "/points", "--return",
          fmt::format("{}/shard-{{}}-of-{}.jsonl", folder, shards)};
}

}  // namespace

std::size_t hosts_in(const std::string& file) {
  std::ifstream lines(file);
  if (!lines)
    throw IoError(file + " cannot be read: --hosts names a file with a host in each line");
  std::size_t hosts = 0;
  for (std::string line; std::getline(lines, line);)
    if (line.find_first_not_of(" \t") != std::string::npos && line.front() != '#') ++hosts;
  if (hosts == 0) throw IoError(file + " names no host: write one in each line, as ssh takes it");
  return hosts;
}

ExitCode run_on_hosts(const LoadedSweep& sweep, const SweepOptions& options) {
  prepare_result_folder(options.output, Overwrite::allow);
  const fs::path folder = options.output;
  write_whole_file(folder / manifest_name, manifest_text({sweep.name, sweep.rows}));
  const std::size_t shards = std::min(sweep.rows.size(), shards_of_host * hosts_in(options.hosts));
  std::vector<std::string> command{"parallel",
                                   "--sshloginfile",
                                   options.hosts,
                                   "--workdir",
                                   fs::current_path().string(),
                                   "--retries",
                                   "3",
                                   "--joblog",
                                   (folder / "hosts.log").string()};
  for (std::string& word : fetched(options, shards)) command.push_back(std::move(word));
  command.push_back(command_of_shard(options, shards));
  command.emplace_back(":::");
  for (std::size_t i = 0; i < shards; ++i) command.push_back(fmt::format("{}", i));
  const int exit_code = run_program(std::move(command), "apt-get install parallel");
  return exit_code == 0 ? ok : simulation_failed;
}

}  // namespace orrery
