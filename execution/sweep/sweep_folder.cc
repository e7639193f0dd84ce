#include "execution/sweep/sweep_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/io_error.h"
#include "execution/sweep/sweep_database.h"
#include "report/result_folder.h"
#include "report/sweep_report.h"

namespace orrery {

namespace {

std::filesystem::path result_file(const SweepRow& row) {
  return row.folder / (row.has_flows ? "traffic.json" : "result.json");
}

// "" if there is none.
std::string result_text(const SweepRow& row) {
  std::ifstream file(result_file(row), std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

SweepLock::SweepLock(const std::filesystem::path& folder, Share share) {
  constexpr mode_t of_everybody = 0666;
  const std::filesystem::path path = folder / ".lock";
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, of_everybody);
  if (file_ < 0)
    throw IoError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  constexpr int attempts = 50;
  constexpr timespec between{0, 100'000'000};
  for (int attempt = 1; flock(file_, (share == Share::alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0;
       ++attempt) {
    if (errno != EWOULDBLOCK) return;  // a file system without locks
    if (attempt == attempts) {
      close(file_);
      throw IoError(fmt::format("another sweep works in {}: wait for it, or name another folder",
                                folder.string()));
    }
    nanosleep(&between, nullptr);
  }
}

SweepLock::~SweepLock() { close(file_); }

void SweepLock::share() { flock(file_, LOCK_SH | LOCK_NB); }

void write_collected(const std::filesystem::path& folder, const SweepManifest& sweep) {
  std::vector<SweepRow> rows = sweep.rows;
  for (SweepRow& row : rows)
    if (row.status == "begun") row.status = "not run";
  const std::array tables{runs_table(rows), kinds_table(rows)};
  for (const SweepTable& table : tables)
    write_whole_file(folder / (table.name + ".csv"), csv_of(table));
  write_whole_file(folder / "sweep.sqlite", database_of(tables));
}

bool is_locked(const std::filesystem::path& folder) {
  const int file = open((folder / ".lock").c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  const bool locked = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(file);
  return locked;
}

namespace {

// Not one that was killed and that its parent has not yet waited for: kill() still finds that one.
bool lives(int process) {
  const auto is_known = [&] { return kill(process, 0) == 0 || errno == EPERM; };
  if (!is_known()) return false;
  std::string stat(512, '\0');
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  file.read(stat.data(), static_cast<std::streamsize>(stat.size()));
  const std::size_t name_ends = stat.rfind(") ");  // "PID (NAME) STATE ..."
  // It may end while it is looked at: then nothing is read.
  if (name_ends == std::string::npos || name_ends + 2 >= stat.size()) return is_known();
  return stat[name_ends + 2] != 'Z';
}

// A process that lives may be writing it; on another machine, for a day.
bool may_be_written(const std::filesystem::path& file) {
  const std::string name = file.filename();
  const std::string rest = name.substr(0, name.rfind('.'));
  const int process = std::atoi(rest.substr(rest.rfind('.') + 1).c_str());
  if (process > 0 && name.ends_with(unfinished_ending(process))) return lives(process);
  std::error_code gone;
  const auto written = std::filesystem::last_write_time(file, gone);
  return process > 0 && !gone &&
         std::filesystem::file_time_type::clock::now() - written < std::chrono::hours(24);
}

}  // namespace

void remove_unfinished(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".unfinished" && !may_be_written(entry.path()))
      left.push_back(entry.path());
  std::error_code gone;
  for (const std::filesystem::path& path : left) std::filesystem::remove(path, gone);
}

void prepare_point(const SweepRow& row) {
  std::filesystem::create_directories(row.folder);
  remove_unfinished(row.folder);
  std::filesystem::remove(row.folder / failure_name);
}

bool read_result(SweepRow& row) { return read_result(row, result_text(row)); }

}  // namespace orrery
