// Names of presets: of which section a name is one, and which is meant by another spelling.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery::yaml {

// The letters and digits of a name, small: "llama370b" of "Llama-3_70B".
std::string letters_of(std::string_view name);

// The section that the name is a preset of: "workload.transformer". "" if it is none.
std::string_view section_of_preset(std::string_view name);

// The section of a workload that such a name belongs to, if it is no preset: "workload.model" of
// "dlrm", which begins as names of presets there do; else "workload.transformer".
std::string_view section_of_family(std::string_view name);

// The preset that is meant, of all sections: "llama3-70b" for "Llama-3-70B", and for
// "meta-llama/Llama-3.1-70B-Instruct", which has its shape. `name` if there is none.
std::string_view known_name(std::string_view name);

// The same of a server: also "hgx-h100" for "DGX H100", and for "h100" if that is the one that has
// this device.
std::string_view known_server(std::string_view name);

// What to write in the section `path` instead of a name that is none of `known`.
std::string remedy_of_unknown_preset(std::string_view path, std::string_view name,
                                     const std::vector<std::string_view>& known);

}  // namespace orrery::yaml
