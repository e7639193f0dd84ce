#include "frontends/report/provenance_json.h"

#include <nlohmann/json.hpp>

namespace orrery {

nlohmann::ordered_json provenance_json(const Provenance& provenance) {
  auto configuration = nlohmann::ordered_json::object();
  for (const auto& [key, value] : provenance.configuration) configuration[key] = value;
  return {{"version", provenance.version},
          {"commit", provenance.commit},
          {"command", provenance.command},
          {"inputs", provenance.inputs},
          {"configuration", std::move(configuration)}};
}

}  // namespace orrery
