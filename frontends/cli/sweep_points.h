// The points of a sweep as loaded experiments, and the simulation of one. Implementation of
// sweep.cc and of what plans, shares out and reads sweeps.
#pragma once

#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "formats/input/input_texts.h"
#include "frontends/cli/commands.h"
#include "report/sweep_row.h"
#include "simulation/sweep_grid.h"

namespace orrery::cli {

// The file, and --set over what its `set` says. Throws ConfigError.
Sweep sweep_of(const SweepOptions& options);

// All of them or the first ones. Throws ConfigError if there is none.
std::vector<SweepPoint> wanted_points(const Sweep& sweep,
                                      std::size_t most = std::numeric_limits<std::size_t>::max());

// Loads every point, so that a mistake in the last one shows before the first one has run for an
// hour. Throws ConfigError with the problems of all of them, each once.
std::vector<SweepRow> rows_of(const Sweep& sweep, std::vector<SweepPoint> points, InputTexts& texts,
                              const SweepOptions& options);

// The command that gives the same result.
std::string command_of(const SweepRow& row);

// Simulates it into its folder. It reads no file: `texts` has what was checked. Returns an exit
// code; what went wrong is in `messages`.
int run_point(const SweepRow& row, InputTexts& texts, const Invocation& sweep,
              std::ostream& messages = std::cerr);
// The same without a folder: its result is `json`.
int point_json(const SweepRow& row, InputTexts& texts, const Invocation& sweep, std::ostream& json,
               std::ostream& messages);

// The points index, index + count, ...
struct Shard {
  std::size_t index = 0, count = 1;
};

// Runs what is not done, and fills the rows, which are those of the shard.
ExitCode run_points(std::vector<SweepRow>& rows, InputTexts& texts, const SweepOptions& options,
                    const Shard& shard, const Terminal& terminal);

}  // namespace orrery::cli
