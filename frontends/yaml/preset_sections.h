// Which section a name is a preset of, for one that stands in another.
#pragma once

#include <string_view>

namespace orrery::yaml {

// The section that the name is a preset of: "workload.transformer". "" if it is none.
std::string_view section_of_preset(std::string_view name);

// The preset that is meant, of all sections: "llama3-70b" for "Llama-3-70B". `name` if there is
// none.
std::string_view known_name(std::string_view name);

}  // namespace orrery::yaml
