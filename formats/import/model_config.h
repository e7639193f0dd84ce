// `transformer: {file: config.json}`: the shape of a model as Hugging Face's transformers library
// keeps it, put into the keys of `workload.transformer`. Keys keep their positions in the file, so
// that what is wrong with their values is reported there.
#pragma once

#include <string>

#include "formats/yaml/problems.h"
#include "formats/yaml/yaml_node.h"

namespace orrery {

// Whether a map is a config.json: it has a model_type.
bool is_model_config(const yaml::YamlNode& map);

// The keys of `workload.transformer` that the file gives; what they do not know is left out. Of a
// multimodal model `text_config` is read, the language model. Its
// `sequence` stands in a Source that is_chosen: the file says only how long it may be. A
// missing key or an unknown model_type is reported below `path`; false if there is any.
bool read_model_config(yaml::YamlNode& config, const std::string& path, yaml::Problems& problems);

}  // namespace orrery
