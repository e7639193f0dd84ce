// Transports of the packet backend by name, each as a published study or specification has it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "network/transport_spec.h"

namespace orrery {

struct TransportPreset {
  std::string_view name, sentence;
  TransportSpec spec;
  // Keys of network.transport, those of defaults too, by where their values are from: the source
  // states them, they follow from what it states, or they are ours.
  std::vector<std::string_view> stated = {}, derived = {}, ours = {};
};
std::span<const TransportPreset> transport_presets();

}  // namespace orrery
