// YamlNode -> text that is read as the same tree.
#pragma once

#include <string>

#include "formats/yaml/yaml_node.h"

namespace orrery::yaml {

// The children of a map, a line for each scalar. Paths that the keys `file` and `custom` name are
// made absolute, because the text may come to lie elsewhere.
std::string yaml_text(const YamlNode& map);

}  // namespace orrery::yaml
