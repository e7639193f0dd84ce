#include "frontends/cli/span_file.h"

#include <fmt/format.h>

#include "core/base/io_error.h"

namespace orrery::cli {

namespace {

std::filesystem::path checked(const std::filesystem::path& path, bool force) {
  if (!force && std::filesystem::exists(path))
    throw IoError(fmt::format("{} exists: use --force to replace it", path.string()));
  return path;
}

}  // namespace

SpanFile::SpanFile(const std::filesystem::path& path, CsvSink::Messages messages, bool force)
    : path_(checked(path, force)),
      unfinished_(path.string() + ".unfinished"),
      stream_(unfinished_),
      sink_(stream_, messages) {
  if (!stream_) throw IoError(fmt::format("cannot write {}", unfinished_.string()));
}

void SpanFile::finish() {
  stream_.close();
  std::error_code error;
  if (stream_) std::filesystem::rename(unfinished_, path_, error);
  if (!stream_ || error) throw IoError(fmt::format("cannot write {}", path_.string()));
}

}  // namespace orrery::cli
