#include "core/base/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/io_error.h"

namespace orrery {

std::string read_text_file(const std::string& path) {
  if (path.empty()) throw IoError("cannot read a file without a name");
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw IoError(fmt::format("cannot read {}: it is a directory", path));
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  if (stream) text.assign(std::istreambuf_iterator<char>(stream), {});
  if (!stream || stream.bad())
    throw IoError(fmt::format("cannot read {}: {}", path,
                              errno != 0 ? std::strerror(errno) : "unknown reason"));
  return text;
}

}  // namespace orrery
