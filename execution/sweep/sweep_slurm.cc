#include "execution/sweep/sweep_slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>

#include "core/base/config_error.h"
#include "core/base/log.h"
#include "execution/sweep/shard_command.h"
#include "execution/sweep/sweep_limits.h"
#include "report/result_folder.h"
#include "report/sweep_manifest.h"
#include "simulation/provenance.h"

namespace orrery {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t usual_array = 1001;  // MaxArraySize without a setting of the site

// Of this program and folder, as it was called here.
std::string script(const SweepOptions& options, const std::string& name, const std::string& time) {
  std::string label;
  for (const char c : name)
    label += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' ? c : '_';
  return fmt::format(
      "#!/bin/bash\n"
      "#SBATCH --job-name=orrery-{0}\n"
      "#SBATCH --array=0-{1}\n"
      "#SBATCH --time={2}\n"
      "#SBATCH --ntasks=1\n"
      "#SBATCH --cpus-per-task={3}\n"
      "#SBATCH --requeue\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --output={4}/slurm-%a.txt\n"
      "# A task that runs twice does no harm: what is done is not done again.\n"
      "{5} || exit 3\n"
      "exec {6} --jobs {3} --shard \"$SLURM_ARRAY_TASK_ID/{7}\"\n",
      label, options.shards - 1, time, options.jobs,
      fs::absolute(options.output).lexically_normal().string(),
      shell_text({"cd", fs::current_path().string()}), shell_text(shard_command(options)),
      options.shards);
}

}  // namespace

std::string slurm_time(const std::string& text) {
  const std::size_t digits = static_cast<std::size_t>(
      std::ranges::find_if_not(text, [](unsigned char c) { return std::isdigit(c) != 0; }) -
      text.begin());
  std::string unit = text.substr(digits);
  std::erase(unit, ' ');
  if (digits > 0 && digits <= 6) {
    const std::int64_t number = std::stoll(text.substr(0, digits));
    if (unit == "h") return fmt::format("{}:00:00", number);
    if (unit == "m" || unit == "min") return fmt::format("{}", number);
    if (unit == "d") return fmt::format("{}-00:00:00", number);
  }
  const bool is_of_slurm =
      digits > 0 && text.find_first_not_of("0123456789:-") == std::string::npos;
  if (!is_of_slurm)
    throw ConfigError(Diagnostic{.path = "--time " + text,
                                 .what = "this is no time limit",
                                 .remedy = "write 2h, 90min or 1-12:00:00"});
  return text;
}

std::string write_slurm_array(const LoadedSweep& sweep, const SweepOptions& options) {
  SweepOptions shared = options;
  shared.shards = std::min(options.shards, sweep.rows.size());
  prepare_result_folder(options.output, Overwrite::allow);
  const fs::path folder = options.output;
  write_whole_file(folder / manifest_name, manifest_text({sweep.name, sweep.rows}));
  write_whole_file(folder / "sweep.sbatch", script(shared, sweep.name, slurm_time(options.time)));
  if (shared.shards < options.shards)
    log::record(log::Level::notice, log::Room::frontends,
                "{} shards, since there are no more points", shared.shards);
  if (shared.shards > usual_array)
    log::record(log::Level::notice, log::Room::frontends,
                "Slurm takes arrays of up to {} tasks, unless its site sets MaxArraySize higher",
                usual_array);
  return shell_text({"sbatch", (folder / "sweep.sbatch").string()});
}

}  // namespace orrery
