// Transports of the packet backend by name: hoti20, and those of RoCE.
#pragma once

#include <span>
#include <string_view>

#include "network/transport_spec.h"

namespace orrery {

struct TransportPreset {
  std::string_view name, sentence;
  TransportSpec spec;
};
std::span<const TransportPreset> transport_presets();

}  // namespace orrery
