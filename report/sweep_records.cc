#include "report/sweep_records.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include "core/base/io_error.h"
#include "report/sweep_record.h"

namespace orrery {

namespace {

namespace fs = std::filesystem;

bool is_of_shard(const fs::path& file) {
  return file.extension() == ".jsonl" && file.filename().string().starts_with("shard-");
}

[[noreturn]] void refuse(const fs::path& path) {
  throw IoError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
}

// Closes it at the end.
struct OpenFile {
  int descriptor;
  ~OpenFile() { close(descriptor); }
};

// Whether what is there ends within a line: its writer was killed.
bool is_cut_short(int file) {
  struct stat status {};
  char last = '\n';
  if (fstat(file, &status) != 0 || status.st_size == 0) return false;
  return pread(file, &last, 1, status.st_size - 1) == 1 && last != '\n';
}

}  // namespace

SweepRecords::SweepRecords(const fs::path& folder) {
  if (!fs::is_directory(folder)) return;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (is_of_shard(entry.path())) files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    for (std::string line; std::getline(file, line);)
      if (std::string point = point_of_record(line); !point.empty())
        lines_[std::move(point)] = line;
  }
}

bool SweepRecords::read(SweepRow& row) const {
  const auto found = lines_.find(row.folder.filename().string());
  return found != lines_.end() && read_record(row, found->second);
}

void append_record(const fs::path& folder, std::size_t shard, std::size_t shards,
                   const SweepRow& row) {
  constexpr mode_t readable_by_all = 0644;
  const fs::path path = folder / fmt::format("shard-{}-of-{}.jsonl", shard, shards);
  const OpenFile file{open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, readable_by_all)};
  if (file.descriptor < 0) refuse(path);
  const std::string line = (is_cut_short(file.descriptor) ? "\n" : "") + record_line(row);
  const ssize_t written = write(file.descriptor, line.data(), line.size());
  if (written >= 0 && static_cast<std::size_t>(written) < line.size()) errno = ENOSPC;
  if (written != static_cast<ssize_t>(line.size())) refuse(path);
}

}  // namespace orrery
