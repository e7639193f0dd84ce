// Examples by name: `orrery run first-run`, `orrery compare llama-70b`, `orrery run
// llama-70b/fsdp`. They are looked for below examples/ of $ORRERY_PATH, of what was installed with
// the program, and of the working directory.
#pragma once

#include <string>
#include <vector>

namespace orrery::cli {

// Their names, sorted.
std::vector<std::string> example_names();

// The first line of its README.
std::string example_title(const std::string& name);

// The experiments that `given` means, in the order of the example's order.txt or of their names: a
// folder's, an example's, or one of an example. What is a file, or is not known, stays as it is.
// Throws ConfigError if a folder has none.
std::vector<std::string> experiments_of(const std::string& given);
std::vector<std::string> experiments_of(const std::vector<std::string>& given);

// The same where only one can be meant. Throws ConfigError if there are several.
std::string experiment_of(const std::string& given);

}  // namespace orrery::cli
