// `transformer: {file: config.json}`: the shape of a model as Hugging Face's transformers library
// keeps it, put into the keys of `workload.transformer`. Keys keep their positions in the file, so
// that what is wrong with their values is reported there.
#pragma once

#include <string>

#include "frontends/yaml/problems.h"
#include "frontends/yaml/yaml_node.h"

namespace orrery::yaml {

// Whether a map is a config.json: it has a model_type.
bool is_model_config(const YamlNode& map);

// The keys of `workload.transformer` that the file gives; what they do not know is left out. A
// missing key or an unknown model_type is reported below `path`; false if there is any.
bool read_model_config(YamlNode& config, const std::string& path, Problems& problems);

}  // namespace orrery::yaml
