// Nodes by name: hgx-h100, gb200-nvl72.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "network/topology/builders/cluster_graph.h"

namespace orrery {

// Servers as they are sold. No vendor states latencies: those of a link inside and of the bus are
// the estimates of platforms/dgx-h100-rail.yaml.
struct ServerPreset {
  std::string_view name, npu;  // `npu`: a preset of npu_presets()
  NodeSpec server;
  std::optional<Bandwidth> nic = {};  // of its link into the network; none: no NIC belongs to it

  // Of a part of the server, or a larger one: NPUs keep their NICs.
  std::int32_t nics_for(std::int32_t npus) const {
    return (server.nics * npus + server.npus - 1) / server.npus;
  }
};
std::span<const ServerPreset> server_presets();

// Other names of a server: "dgx-h100" is "hgx-h100".
struct ServerAlias {
  std::string_view name, preset;
};
std::span<const ServerAlias> server_aliases();

}  // namespace orrery
