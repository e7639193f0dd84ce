#include "frontends/yaml/preset_sections.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "network/topology/builders/server_presets.h"
#include "network/transport_presets.h"
#include "system/npu_presets.h"
#include "workload/model_presets.h"

namespace orrery::yaml {

namespace {

// Without what separates them: "Llama-3_70B" is "llama370b".
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

}  // namespace

std::string_view section_of_preset(std::string_view name) {
  const auto has = [&](const auto& table) {
    return std::any_of(table.begin(), table.end(), [&](const auto& p) { return p.name == name; });
  };
  if (has(npu_presets())) return "platform.npu";
  if (has(server_presets())) return "node of a network in platform.topology";
  if (has(transformer_presets())) return "workload.transformer";
  if (has(dlrm_presets())) return "workload.model";
  if (has(stack_presets())) return "workload.layers";
  return has(transport_presets()) ? "network.transport" : "";
}

std::string_view known_name(std::string_view name) {
  std::string_view known = name;
  const std::string wanted = letters_of(name);
  const auto look = [&](const auto& table) {
    for (const auto& preset : table)
      if (letters_of(preset.name) == wanted) known = preset.name;
  };
  if (!section_of_preset(name).empty()) return name;
  look(npu_presets());
  look(server_presets());
  look(transformer_presets());
  look(dlrm_presets());
  look(stack_presets());
  look(transport_presets());
  return known;
}

}  // namespace orrery::yaml
