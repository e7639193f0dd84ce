// What a sweep leaves on disk, and how it knows what is done.
//
//   DIR/points/NAME/result.json   the point's result, and its tables (docs/results.md)
//   DIR/points/NAME/inputs.txt    the resolved configuration that it is the result of
//   DIR/points/NAME/log.txt       what the simulation printed on standard error
//   DIR/sweep.csv                 a line for each point
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "simulation/experiment.h"
#include "simulation/sweep_grid.h"

namespace orrery {

// One point of the grid and how it went.
struct SweepRow {
  SweepPoint point;
  std::filesystem::path folder;
  std::string inputs;   // what inputs.txt holds if the result is this point's
  std::string status;   // "ok", "failed", "not run"
  std::string failure;  // the first line of what a failed one said

  // Of result.json; for "ok" only.
  std::string system, backend, fingerprint;
  Duration finish, compute, exposed, idle, bound;
  std::map<std::string, std::string> numbers = {};  // "events", "messages", "wall_s", ...
};

// All that a result depends on: the program's version, every value of the configuration, and of
// the data files that values name (wires, routes, traces, matrices) a digest of their contents.
std::string inputs_text(const Experiment& experiment, const std::string& version);

// Fills the row from a complete result of the same inputs; false if there is none.
bool read_result(SweepRow& row);

// DIR/sweep.csv; docs/results.md.
std::string sweep_csv(const std::vector<SweepRow>& rows);

// For people: the varied keys, the time, what is exposed, and the ratio to the fastest.
std::string sweep_text(const std::string& name, const std::vector<SweepRow>& rows);

}  // namespace orrery
