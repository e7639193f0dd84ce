// YAML text -> YamlNode. The only file that includes yaml-cpp.
#pragma once

#include <optional>
#include <string>

#include "formats/yaml/problems.h"
#include "formats/yaml/yaml_node.h"

namespace orrery::yaml {

// The document in `text`, which `source` names. What yaml-cpp accepts and we do not (duplicate
// keys, `<<`, a second document, bytes that are no text) is reported; paths in the reports begin
// with `path`. Nothing if the text is not YAML, which is reported as well.
std::optional<YamlNode> parse_yaml(const std::string& text, const Source& source,
                                   const std::string& path, Problems& problems);

}  // namespace orrery::yaml
