// workload.training of a transformer that names no parallelism.
#pragma once

#include <string>

#include "formats/input/input_texts.h"
#include "formats/yaml/yaml_node.h"

namespace orrery::yaml {

// Where no key says how the model is divided among the NPUs: adds the keys of the configuration
// that choose_parallelism() chooses, which stand in `chosen`. Where none says how many samples an
// iteration has: adds global_batch (workload/assumed_batch.h). Returns what was chosen, as a text:
// "tp2 pp1 dp64 mb1 zero3, best of 319 estimates; batch 512 ASSUMED; sequence 8192 ASSUMED".
// Nothing is added to a file with mistakes.
std::string choose_open_parallelism(YamlNode& root, InputTexts& texts, const Source& chosen);

}  // namespace orrery::yaml
