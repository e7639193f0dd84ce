// The backends of this build: network/backends.def as a table.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "network/network_backend.h"
#include "network/network_spec.h"

namespace orrery {

struct BackendEntry {
  std::string_view name, sentence;
  // REQUIRES: queue and topology outlive the backend. What the user
  // gave that it does not honour (network_spec.h), it returns as unused_settings().
  std::unique_ptr<NetworkBackend> (*make)(EventQueue& queue, const Topology& topology,
                                          const NetworkSpec& spec);
};

std::span<const BackendEntry> builtin_backends();
const BackendEntry* find_backend(std::string_view name);  // nullptr if unknown

}  // namespace orrery
