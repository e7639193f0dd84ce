// Files that a value of another file names.
#pragma once

#include <string>

#include "formats/yaml/yaml_node.h"

namespace orrery::yaml {

// The path of a file that a value names: relative to the file that the value stands in, or to the
// working directory when it comes from the command line or from /dev/stdin or /dev/fd/N.
std::string resolved_path(const YamlNode& value);

}  // namespace orrery::yaml
