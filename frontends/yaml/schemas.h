// The JSON Schema (draft 2020-12) of each kind of file that users write, for editors:
// `orrery schema`.
#pragma once

#include <string>
#include <string_view>

namespace orrery {

std::string experiment_schema();

// The same where no section names a `file:`: every key says whether it is needed.
std::string strict_experiment_schema();

// Of a file that `SECTION: {file: ...}` names: the keys of the section, or whole sections with that
// one among them, as bundled platforms have. Keys beside `file:` may complete it, so it needs none.
// REQUIRES: platform, system, network or workload.
std::string part_schema(std::string_view section);

// Of `orrery sweep`.
std::string sweep_schema();

// Of platforms/efficiency.
std::string efficiency_schema();

}  // namespace orrery
