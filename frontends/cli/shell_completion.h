// The scripts that complete command lines of orrery in shells.
#pragma once

#include <string>

#include "frontends/cli/option_tables.h"

namespace orrery::cli {

// Commands, options and listed words stand in the script. Names of platforms and examples, and keys
// of `--set`, it asks `orrery words` for.
std::string bash_completion(const CommandEntry& program);
std::string zsh_completion(const CommandEntry& program);

}  // namespace orrery::cli
