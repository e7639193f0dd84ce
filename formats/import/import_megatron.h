// A launch line of Megatron-LM -> the `workload:` of a transformer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "formats/import/imported.h"

namespace orrery {

struct MegatronOptions {
  std::map<std::string, std::string> variables = {};  // of the script, over what it says
  std::optional<std::int64_t> vocabulary = {};        // where the line does not say
  std::optional<std::int64_t> ranks = {};             // the same
  std::string platform = {};                          // name or file; "" = the file has none
};

// `text` is a shell script, a launch line or a list of arguments in JSON. Throws ConfigError with
// the line of `file` if something is missing or contradicts.
Imported import_megatron(const std::string& file, const std::string& text,
                         const MegatronOptions& options);

}  // namespace orrery
