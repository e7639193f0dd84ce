#include "frontends/cli/operation_named.h"

#include <string_view>
#include <vector>

#include "core/base/config_error.h"
#include "core/base/suggestion.h"
#include "simulation/collective_operations.h"

namespace orrery {

Collective operation_named(const std::string& name) {
  if (const auto found = find_simulated(name)) return *found;
  std::vector<std::string_view> known;
  for (const Collective kind : simulated_operations()) known.push_back(name_of(kind));
  throw ConfigError({.file = "--op " + name,
                     .what = "this is not a collective",
                     .remedy = suggestion(name, known)});
}

}  // namespace orrery
