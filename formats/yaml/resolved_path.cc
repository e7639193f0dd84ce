#include "formats/yaml/resolved_path.h"

#include <filesystem>

namespace orrery::yaml {

std::string resolved_path(const YamlNode& value) {
  const Source& source = *value.place.source;
  const bool is_stream = source.name == "/dev/stdin" || source.name.starts_with("/dev/fd/");
  if (!source.is_file || is_stream) return value.text;
  const auto directory = std::filesystem::path(source.name).parent_path();
  return (directory / value.text).lexically_normal().string();
}

}  // namespace orrery::yaml
