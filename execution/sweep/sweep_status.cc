#include "execution/sweep/sweep_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>

#include "core/units/unit_text.h"
#include "execution/sweep/sweep_folder.h"
#include "report/sweep_manifest.h"

namespace orrery {

namespace {

namespace fs = std::filesystem;

std::int64_t written_at(const fs::path& file) {
  std::error_code gone;
  const auto time = fs::last_write_time(file, gone);
  if (gone) return 0;
  const auto since = std::chrono::file_clock::to_sys(time).time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

std::int64_t ended_at(const SweepRow& row) {
  if (row.is_line) return row.ended;
  return written_at(row.folder / (row.has_flows ? "traffic.json" : "result.json"));
}

// At the pace since the sweep, or the last shard of it, began: it wrote the manifest then.
std::string time_left(const SweepManifest& sweep, const fs::path& folder, std::size_t left) {
  const std::int64_t begin = written_at(folder / manifest_name);
  const std::int64_t elapsed = std::time(nullptr) - begin;
  const auto done = std::ranges::count_if(sweep.rows, [&](const SweepRow& row) {
    return row.status == "ok" && ended_at(row) >= begin;
  });
  if (done == 0 || left == 0) return "";
  const auto text = [](double seconds) {
    return to_text(Duration{static_cast<std::int64_t>(seconds * 1e12)});
  };
  const auto seconds = static_cast<double>(std::max<std::int64_t>(elapsed, 1));
  return fmt::format("about {} left: {} points in the last {}\n",
                     text(seconds * static_cast<double>(left) / static_cast<double>(done)), done,
                     text(seconds));
}

}  // namespace

std::string sweep_status_text(const fs::path& folder) {
  const SweepManifest sweep = read_sweep_folder(folder);
  const auto count = [&](const char* status) {
    return static_cast<std::size_t>(std::ranges::count(sweep.rows, status, &SweepRow::status));
  };
  const std::size_t done = count("ok"), failed = count("failed"), begun = count("begun");
  const bool is_worked_on = is_locked(folder);
  std::string text = fmt::format("{}: {} of {} points done, {} failed, ", sweep.name, done,
                              sweep.rows.size(), failed);
  if (is_worked_on && begun == 0)  // points that have no folder, --keep none
    text += fmt::format("{} running or not begun\n", count("not run"));
  else
    text += fmt::format("{} {}, {} not begun\n", begun,
                                is_worked_on ? "running" : "interrupted", count("not run"));
  if (is_worked_on)
    text += time_left(sweep, folder, sweep.rows.size() - done - failed);
  constexpr std::size_t most_failures = 10;
  std::size_t shown = 0;
  for (const SweepRow& row : sweep.rows)
    if (row.status == "failed" && ++shown <= most_failures)
      text += fmt::format("failed: {}: {}\n", row.folder.filename().string(), row.failure);
  if (shown > most_failures)
    text += fmt::format("failed: {} more\n", shown - most_failures);
  return text;
}

}  // namespace orrery
