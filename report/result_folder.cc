#include "report/result_folder.h"

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
#include "report/csv_report.h"
#include "report/json_report.h"
#include "report/traffic_report.h"

namespace orrery {

namespace {

namespace fs = std::filesystem;

// All files but captures that a command writes.
std::vector<std::string> result_names() {
  std::vector<std::string> names{"result.json",  "comparison.json", "coll.json",  "coll.csv",
                                 "traffic.json", "traffic.csv",     "flows.csv",  "fct.txt",
                                 "pfc.txt",      "qlen.txt",        "report.html"};
  for (std::string& table : csv_files()) names.push_back(std::move(table));
  return names;
}

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
  std::vector<ResultFile> files;
  for (CsvTable& table : csv_tables(results, options))
    files.push_back({std::move(table.file), std::move(table.text)});
  for (ResultFile& file : captures(results)) files.push_back(std::move(file));
  return files;
}

// Of this process and no other one that may write the same file, on this machine or another.
fs::path unfinished(const fs::path& folder, const std::string& name) {
  return folder / fmt::format(".{}{}", name, unfinished_ending(getpid()));
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
  for (const std::string& name : result_names()) {
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

std::string unfinished_ending(int process) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format(".{}.{}.unfinished", host.data(), process);
}

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
  for (const std::string& name : result_names()) {
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

void write_traffic(const fs::path& folder, const TrafficResult& result, bool flows,
                   const ReportOptions& options, Overwrite overwrite) {
  std::vector<ResultFile> files = {{"traffic.csv", traffic_csv(result)}};
  if (flows) {
    files.push_back({"flows.csv", flows_csv(result)});
    files.push_back({"fct.txt", flows_hpcc(result)});
    files.push_back({"pfc.txt", pauses_hpcc(result)});
    if (std::string depths = depths_hpcc(result); !depths.empty())
      files.push_back({"qlen.txt", std::move(depths)});
  }
  files.push_back({"traffic.json", traffic_json(result, options)});
  write_all(folder, files, overwrite);
}

void write_traffic_comparison(const fs::path& folder, std::span<const TrafficResult> results,
                              Overwrite overwrite) {
  write_all(folder,
            {{"traffic.csv", traffic_comparison_csv(results)},
             {"comparison.json", traffic_comparison_json(results)}},
            overwrite);
}

}  // namespace orrery
