// A point of a sweep and how it went: what the tables of a sweep show, read from the JSON of the
// point's result.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units/units.h"
#include "simulation/sweep_grid.h"

namespace orrery {

// One point of the grid and how it went.
struct SweepRow {
  SweepPoint point;
  bool has_flows = false;  // `traffic:` instead of a workload
  std::filesystem::path folder;
  std::vector<std::string> metrics = {};  // Sweep::metrics; `numbers` has them if the result does
  std::string version, commit, inputs;    // what result.json says if it is this point's: Provenance
  bool is_line = false;                   // kept as a line of a shard: there may be no folder
  std::string status;                     // "ok", "failed", "not run"; begun: read_sweep_folder()
  std::int64_t ended = 0;                 // of a line: when, in Unix seconds
  std::string page = {};                  // beside the sweep's: what shows this run, or ""
  std::string failure;                    // the first line of what a failed one said

  // Of result.json or traffic.json; for "ok" only. Flows have no compute, exposed, idle, bound.
  std::string system, backend, fingerprint;
  std::vector<std::string> ignored = {};  // by the backend, of what the file says
  Duration finish, compute, exposed, idle, bound;
  std::vector<std::pair<std::string, Duration>> exposed_by = {};  // kinds, as in result.json
  std::map<std::string, std::string> numbers = {};     // "events", "messages", "wall_s", ...
  std::map<std::string, std::string> rows_there = {};  // of a metric's table that has not its row
};

// Times of a row, as results and tables name them.
inline constexpr std::array<std::pair<const char*, Duration SweepRow::*>, 5> sweep_times{
    {{"finish_ps", &SweepRow::finish},
     {"compute_ps", &SweepRow::compute},
     {"exposed_ps", &SweepRow::exposed},
     {"idle_ps", &SweepRow::idle},
     {"bound_ps", &SweepRow::bound}}};
// Fields of a result that are columns of sweep.csv: of all results, and of those of flows.
inline constexpr std::array sweep_numbers{"events",          "messages",       "wall_s",
                                          "cpu_s",           "peak_rss_bytes", "drops",
                                          "retransmissions", "timeouts",       "mfu"};
inline constexpr std::array flow_numbers{"load_hosts", "load_uplinks", "drawn_hosts",
                                         "busiest_load", "counted"};
inline constexpr std::array flow_times{"mean_ps",      "p50_ps",        "p95_ps",
                                       "p99_ps",       "slowdown_mean", "slowdown_p50",
                                       "slowdown_p95", "slowdown_p99"};

// Whether every row has it, if its result does, without being asked: Sweep::metrics need no path.
bool is_sweep_column(std::string_view name);

// Whether its numbers have each of its metrics, be it empty: those of a line may be of fewer.
bool has_metrics(const SweepRow& row);

// Fills the row from a text that is the JSON of a result of this row's inputs, by the same program,
// complete and without an error; false if it is not.
bool read_result(SweepRow& row, const std::string& json);

}  // namespace orrery
