#include "execution/sweep/shard_command.h"

#include <utility>

#include "core/base/program_file.h"

namespace orrery {

std::vector<std::string> shard_command(const SweepOptions& options) {
  std::vector<std::string> command{program_file(), "sweep",        "exec",   options.file,
                                   "-o",           options.output, "--quiet"};
  for (const std::string& setting : options.settings) {
    command.emplace_back("--set");
    command.push_back(setting);
  }
  if (options.batch) command.emplace_back("--batch");
  if (options.force) command.emplace_back("--force");
  for (const auto& [option, value] :
       {std::pair{"--keep", options.keep}, std::pair{"--time-limit", options.time_limit},
        std::pair{"--memory-limit", options.memory_limit},
        std::pair{"--max-disk", options.max_disk}}) {
    if (value.empty() || value == "all") continue;
    command.emplace_back(option);
    command.push_back(value);
  }
  return command;
}

}  // namespace orrery
