#include "frontends/sweep/sweep_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/io_error.h"

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

SweepLock::SweepLock(const std::filesystem::path& folder) {
  constexpr mode_t of_everybody = 0666;
  const std::filesystem::path path = folder / ".lock";
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, of_everybody);
  if (file_ < 0)
    throw IoError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  constexpr int attempts = 50;
  constexpr timespec between{0, 100'000'000};
  for (int attempt = 1; flock(file_, LOCK_EX | LOCK_NB) != 0; ++attempt) {
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

void remove_unfinished(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".unfinished") left.push_back(entry.path());
  for (const std::filesystem::path& path : left) std::filesystem::remove(path);
}

void prepare_point(const SweepRow& row) {
  std::filesystem::create_directories(row.folder);
  remove_unfinished(row.folder);
}

bool read_result(SweepRow& row) { return read_result(row, result_text(row)); }

void remove_other_result(const SweepRow& row) {
  if (!is_result_of(row, result_text(row))) std::filesystem::remove(result_file(row));
}

}  // namespace orrery
