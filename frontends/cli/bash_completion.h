// The script that completes command lines of orrery in bash.
#pragma once

#include <string>

#include "frontends/cli/option_tables.h"

namespace orrery::cli {

// Commands, options and listed words stand in the script. Names of platforms and examples, and keys
// of `--set`, it asks `orrery words` for.
std::string bash_completion(const CommandEntry& program);

}  // namespace orrery::cli
