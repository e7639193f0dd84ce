// Nodes by name: hgx-h100, gb200-nvl72.
#pragma once

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
};
std::span<const ServerPreset> server_presets();

// Other names of a server: "dgx-h100" is "hgx-h100".
struct ServerAlias {
  std::string_view name, preset;
};
std::span<const ServerAlias> server_aliases();

}  // namespace orrery
