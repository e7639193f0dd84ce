#include "formats/input/file_identity.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace orrery {

std::string identity_of_linked_file(const std::string& path) {
  struct stat file = {}, link = {};
  if (stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return "";
  const bool is_link = lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode);
  if (file.st_nlink < 2 && !is_link) return "";
  return fmt::format("{}:{}", file.st_dev, file.st_ino);
}

}  // namespace orrery
