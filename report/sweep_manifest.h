// DIR/sweep.json: which points a sweep has, so that its folder can be read without its file. Its
// bytes depend on the points alone: every shard writes the same ones.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/sweep_row.h"

namespace orrery {

inline constexpr const char* manifest_name = "sweep.json";
inline constexpr const char* failure_name = "failed.json";  // in the folder of a point

struct SweepManifest {
  std::string name;
  std::vector<SweepRow> rows;
};

std::string manifest_text(const SweepManifest& manifest);

// The manifest of a sweep's folder, each row with its result, if there is one: status "ok",
// "failed", "begun" (a folder without either) or "not run". Of each result also `metrics`, as
// Sweep::metrics. Throws IoError.
SweepManifest read_sweep_folder(const std::filesystem::path& folder,
                                const std::vector<std::string>& metrics = {});

// What is said of a point that failed.
struct SweepFailure {
  int exit_code = 0;  // 128 + the signal if one ended it
  Bytes peak_memory;
  std::vector<std::string> last_lines;  // of what it printed
};
std::string failure_text(const SweepFailure& failure);

}  // namespace orrery
