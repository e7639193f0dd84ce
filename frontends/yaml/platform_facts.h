// The levels of a platform by their names.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "frontends/yaml/reader.h"
#include "workload/platform_facts.h"

namespace orrery::yaml {

// The levels that the list under `key` names, in its order; reports names that are not there and
// levels named twice, and is then empty.
std::vector<int> levels_named(Reader& keys, std::string_view key,
                              std::span<const LevelReference> references,
                              const PlatformFacts& platform);

}  // namespace orrery::yaml
