// `orrery export chakra`: an experiment's job as files of other programs.
#pragma once

#include <string>
#include <vector>

#include "frontends/cli/commands.h"

namespace orrery::cli {

struct ExportOptions {
  std::string file, folder;
  std::vector<Override> overrides;
  bool copies = false;  // no hard links between equal files
  bool force = false;   // replace earlier files
};

ExitCode export_chakra(const ExportOptions& options, const Terminal& terminal);

}  // namespace orrery::cli
