#include "frontends/report/result_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "core/base/io_error.h"
#include "frontends/report/csv_report.h"
#include "frontends/report/json_report.h"
#include "frontends/report/training_report.h"

namespace orrery {

namespace {

namespace fs = std::filesystem;

constexpr std::array result_names{
    "result.json",     "comparison.json", "summary.csv",      "exposed.csv", "layers.csv",
    "levels.csv",      "links.csv",       "ranks.csv",        "matrix.csv",  "activity.csv",
    "jobs.csv",        "flows.csv",       "coll.json",        "coll.csv",    "stages.csv",
    "utilisation.csv", "depths.csv",      "link_activity.csv"};

struct ResultFile {
  std::string name, text;
};

// capture-1.pcap, ...; of several systems capture-1-1.pcap (the first one's first), ...
std::vector<ResultFile> captures(std::span<const RunResult> results) {
  std::vector<ResultFile> files;
  for (std::size_t run = 0; run < results.size(); ++run) {
    if (!results[run].packets) continue;
    const std::string system = results.size() > 1 ? fmt::format("{}-", run + 1) : "";
    const std::vector<CaptureRow>& rows = results[run].packets->captures;
    for (std::size_t i = 0; i < rows.size(); ++i)
      files.push_back({fmt::format("capture-{}{}.pcap", system, i + 1), rows[i].pcap});
  }
  return files;
}

bool is_capture(const std::string& name) {
  return name.starts_with("capture-") && name.ends_with(".pcap");
}

std::vector<ResultFile> tables(std::span<const RunResult> results, const ReportOptions& options) {
  std::vector<ResultFile> files{
      {"summary.csv", summary_csv(results)},      {"exposed.csv", exposed_csv(results)},
      {"layers.csv", layers_csv(results)},        {"levels.csv", levels_csv(results)},
      {"links.csv", links_csv(results, options)}, {"ranks.csv", ranks_csv(results)}};
  if (std::ranges::any_of(results, [](const RunResult& run) { return !run.jobs.empty(); }))
    files.push_back({"jobs.csv", jobs_csv(results)});
  if (std::ranges::any_of(results, [](const RunResult& run) { return run.training.has_value(); })) {
    files.push_back({"stages.csv", stages_csv(results)});
    files.push_back({"utilisation.csv", utilisation_csv(results)});
  }
  if (std::ranges::any_of(results, [](const RunResult& run) { return !run.matrix.empty(); }))
    files.push_back({"matrix.csv", matrix_csv(results)});
  if (std::ranges::any_of(results, [](const RunResult& run) { return !run.activity.empty(); }))
    files.push_back({"activity.csv", activity_csv(results)});
  if (std::ranges::any_of(results, [](const RunResult& run) { return !run.link_activity.empty(); }))
    files.push_back({"link_activity.csv", link_activity_csv(results)});
  if (std::ranges::any_of(
          results, [](const RunResult& run) { return run.packets && !run.packets->flows.empty(); }))
    files.push_back({"flows.csv", flows_csv(results)});
  if (std::ranges::any_of(results, [](const RunResult& run) {
        return run.packets && !run.packets->depths.empty();
      }))
    files.push_back({"depths.csv", depths_csv(results)});
  for (ResultFile& file : captures(results)) files.push_back(std::move(file));
  return files;
}

fs::path unfinished(const fs::path& folder, const std::string& name) {
  return folder / fmt::format(".{}.{}.unfinished", name, getpid());
}

void write_file(const fs::path& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return;
  const IoError error(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  std::error_code ignored;
  fs::remove(path, ignored);
  throw error;
}

void remove_stale_captures(const fs::path& folder, const std::vector<ResultFile>& files) {
  std::vector<fs::path> stale;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const auto is_it = [&](const ResultFile& file) { return file.name == name; };
    if (is_capture(name) && std::ranges::none_of(files, is_it)) stale.push_back(entry.path());
  }
  for (const fs::path& file : stale) fs::remove(file);
}

// What an earlier command left and this one does not write: it would contradict the new tables.
void remove_stale(const fs::path& folder, const std::vector<ResultFile>& files) {
  for (const char* name : result_names) {
    bool written = false;
    for (const ResultFile& file : files) written = written || file.name == name;
    if (!written) fs::remove(folder / name);
  }
  remove_stale_captures(folder, files);
}

void write_all(const fs::path& folder, const std::vector<ResultFile>& files, Overwrite overwrite) {
  prepare_result_folder(folder, overwrite);
  try {
    for (const ResultFile& file : files) write_file(unfinished(folder, file.name), file.text);
    // The last file says what the others belong to. It is there only while all of them are its own.
    fs::remove(folder / files.back().name);
    remove_stale(folder, files);
    for (const ResultFile& file : files)
      fs::rename(unfinished(folder, file.name), folder / file.name);
  } catch (const std::exception& error) {
    std::error_code ignored;
    for (const ResultFile& file : files) fs::remove(unfinished(folder, file.name), ignored);
    throw IoError(error.what());
  }
}

}  // namespace

void prepare_result_folder(const fs::path& folder, Overwrite overwrite) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && !fs::is_directory(folder)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) {
    throw IoError(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  }
  if (access(folder.c_str(), W_OK) != 0) {
    throw IoError(fmt::format("cannot write to {}: {}", folder.string(), std::strerror(errno)));
  }
  if (overwrite == Overwrite::allow) return;
  for (const char* name : result_names) {
    if (!fs::exists(folder / name)) continue;
    throw IoError(
        fmt::format("{} already holds a result ({}): name another folder, or add --force to "
                    "replace it",
                    folder.string(), name));
  }
}

void write_whole_file(const fs::path& file, const std::string& text) {
  const fs::path under_way = unfinished(file.parent_path(), file.filename());
  write_file(under_way, text);
  std::error_code error;
  fs::rename(under_way, file, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(under_way, ignored);
  throw IoError(fmt::format("cannot write {}: {}", file.string(), error.message()));
}

void write_run(const fs::path& folder, const RunResult& result, const ReportOptions& options,
               Overwrite overwrite) {
  std::vector<ResultFile> files = tables({&result, 1}, options);
  files.push_back({"result.json", run_json(result, options)});
  write_all(folder, files, overwrite);
}

void write_comparison(const fs::path& folder, std::span<const RunResult> results,
                      const ReportOptions& options, Overwrite overwrite) {
  std::vector<ResultFile> files = tables(results, options);
  files.push_back({"comparison.json", comparison_json(results, options)});
  write_all(folder, files, overwrite);
}

void write_collectives(const fs::path& folder, const CollectiveResult& result,
                       Overwrite overwrite) {
  write_all(folder, {{"coll.csv", collective_csv(result)}, {"coll.json", collective_json(result)}},
            overwrite);
}

}  // namespace orrery
