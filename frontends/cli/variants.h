// The systems that `compare --vary` makes of one file: `--vary network.transport=tcp,roce`.
#pragma once

#include <string>
#include <vector>

#include "frontends/yaml/load_experiment.h"

namespace orrery::cli {

struct Variant {
  std::vector<Override> overrides;
  std::string name;  // "roce, buffer 64 MB"; "" = the file as it is
};

// The product of options KEY=VALUE,VALUE,..., the last one changing fastest. A comma within
// brackets, braces or quotes belongs to its value. Without options, the one variant that changes
// nothing. Throws ConfigError.
std::vector<Variant> variants_of(const std::vector<std::string>& options);

}  // namespace orrery::cli
