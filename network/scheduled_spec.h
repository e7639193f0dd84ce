// Transports whose packets have priorities by what their message has sent or has left, as plain
// data. docs/models/scheduled.md says what each setting does and where its default is from.
#pragma once

#include <optional>
#include <vector>

#include "core/units/units.h"

namespace orrery {

// Bai et al., "Information-agnostic flow scheduling for commodity data centers" (PIAS), NSDI 2015.
struct PiasSpec {
  // Ascending. A message begins in the first class, and is in the next one behind so many bytes
  // each. Without it those that the authors published for their web search at a load of 0.8.
  std::optional<std::vector<Bytes>> thresholds = {};
};
std::vector<Bytes> thresholds_of(const PiasSpec& spec);

// Alizadeh et al., "pFabric: minimal near-optimal datacenter transport", SIGCOMM 2013.
inline constexpr Duration pfabric_rto = microseconds(45);

}  // namespace orrery
