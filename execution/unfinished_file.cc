#include "execution/unfinished_file.h"

#include <fmt/format.h>

#include "core/base/io_error.h"

namespace orrery {

UnfinishedFile::UnfinishedFile(const std::filesystem::path& path, bool force)
    : path_(path), unfinished_(path.string() + ".unfinished") {
  if (!force && std::filesystem::exists(path))
    throw IoError(fmt::format("{} exists: use --force to replace it", path.string()));
  open();
}

void UnfinishedFile::open() {
  stream_.open(unfinished_, std::ios::binary | std::ios::trunc);
  if (!stream_) throw IoError(fmt::format("cannot write {}", unfinished_.string()));
}

std::ostream& UnfinishedFile::begin_anew() {
  stream_.close();
  open();
  return stream_;
}

void UnfinishedFile::finish() {
  stream_.close();
  std::error_code error;
  if (stream_) std::filesystem::rename(unfinished_, path_, error);
  if (!stream_ || error)
    throw IoError(fmt::format("cannot write {}: {}", path_.string(),
                              error ? error.message() : "the disk is full, or it is too large"));
  finished_ = true;
}

UnfinishedFile::~UnfinishedFile() {
  if (finished_) return;
  stream_.close();
  std::error_code left_there;
  std::filesystem::remove(unfinished_, left_there);
}

}  // namespace orrery
