// Nodes by name: hgx-h100, gb200-nvl72.
#pragma once

#include <span>
#include <string_view>

#include "network/topology/builders/cluster_graph.h"

namespace orrery {

// Servers as they are sold. No vendor states latencies: those of a link inside and of the bus are
// the estimates of platforms/dgx-h100-rail.yaml.
struct ServerPreset {
  std::string_view name;
  NodeSpec server;
};
std::span<const ServerPreset> server_presets();

}  // namespace orrery
