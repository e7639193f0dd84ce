// `orrery astra` and `orrery import astra`: set-ups of ASTRA-sim 2, by the flags of its programs.
#pragma once

#include <cstdint>
#include <string>

#include "formats/import/astra_files.h"
#include "frontends/cli/commands.h"

namespace orrery::cli {

struct AstraOptions {
  AstraFiles files;
  // Flags that change nothing, as they were given.
  double compute_scale = 1, communication_scale = 1;
  std::string logging, logging_folder;
  std::string compatible;  // "astra-sim": also what ASTRA-sim computes
};

// The experiment on terminal.out; what was read, ignored and assumed as notices.
ExitCode import_astra(const AstraOptions& options, const Terminal& terminal);
// Runs that experiment: a line for each NPU as ASTRA-sim prints it, then the report.
ExitCode astra(const AstraOptions& options, const SimulationOptions& simulation,
               const Terminal& terminal);

}  // namespace orrery::cli
