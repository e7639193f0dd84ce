#include "frontends/input/input_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/io_error.h"
#include "frontends/input/embedded_files.h"

namespace orrery {

const std::string& InputTexts::read(const std::string& path) {
  const Entry& found = entry(path);
  if (!found.error.empty()) throw IoError(found.error);
  return found.text;
}

bool InputTexts::can_read(const std::string& path) { return entry(path).error.empty(); }

const InputTexts::Entry& InputTexts::entry(const std::string& path) {
  const auto known = entries_.find(path);
  if (known != entries_.end()) return known->second;
  Entry& entry = entries_[path];
  if (path.starts_with(embedded_prefix)) {
    const std::string_view wanted = std::string_view(path).substr(embedded_prefix.size());
    const auto found = std::ranges::find(embedded_files(), wanted, &EmbeddedFile::path);
    if (found != embedded_files().end()) {
      entry.text = found->text;
      return entry;
    }
  }
  // A directory opens like a file and only fails to be read, which looks like an empty file.
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    entry.error = fmt::format("cannot read {}: it is a directory", path);
    return entry;
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (stream) entry.text.assign(std::istreambuf_iterator<char>(stream), {});
  if (!stream || stream.bad())
    entry.error = fmt::format("cannot read {}: {}", path,
                              errno != 0 ? std::strerror(errno) : "unknown reason");
  return entry;
}

}  // namespace orrery
