// workload.training of a transformer that names no parallelism.
#pragma once

#include <string>

#include "formats/input/input_texts.h"
#include "frontends/yaml/yaml_node.h"

namespace orrery::yaml {

// Where no key says how the model is divided among the NPUs, and data parallelism alone does not
// fit: adds the keys of the configuration that choose_parallelism() chooses, which stand in
// `chosen`, and returns its text. Nothing is added to a file with mistakes.
std::string choose_open_parallelism(YamlNode& root, InputTexts& texts, const Source& chosen);

}  // namespace orrery::yaml
