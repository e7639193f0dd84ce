// The backends of this build: network/backends.def as a table.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "network/network_backend.h"

namespace orrery {

struct BackendEntry {
  std::string_view name, sentence;
  // REQUIRES: queue and topology outlive the backend. `packet_settings` are the paths of the user's
  // settings that only packet backends use; one that does not returns them as unused_settings().
  std::unique_ptr<NetworkBackend> (*make)(EventQueue& queue, const Topology& topology,
                                          std::vector<std::string> packet_settings);
};

std::span<const BackendEntry> builtin_backends();
const BackendEntry* find_backend(std::string_view name);  // nullptr if unknown

}  // namespace orrery
