#include "frontends/yaml/preset_sections.h"

#include <algorithm>

#include "network/topology/builders/server_presets.h"
#include "network/transport_presets.h"
#include "system/npu_presets.h"
#include "workload/model_presets.h"

namespace orrery::yaml {

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

}  // namespace orrery::yaml
