// What the protocols of a communication library cost on a machine where it was measured.
//
// Costs were fitted to all-reduces among the GPUs of one node, over links with a latency of 0.2 us
// and the bandwidth that is said here: what else a step takes is in `step`.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "network/topology/topology.h"
#include "system/protocol_spec.h"
#include "system/system_spec.h"

namespace orrery {

struct MeasuredProtocols {
  std::string_view name;     // "nccl-h100"
  std::string_view machine;  // "8 H100"
  std::span<const ProtocolCost> costs;
  ChannelSpec channels;  // of the device of `machine`
  double
      error;  // of times of all-reduces: mean absolute error of the sizes that were not fitted to
  int sizes;  // as many of them
};

// By name.
std::span<const MeasuredProtocols> measured_protocols();
// Null if there is none.
const MeasuredProtocols* find_measured_protocols(std::string_view name);

// Those of a platform with these levels. What they say of links inside a node holds for NVLink. If
// the innermost level is a ring or a mesh, its links carry what the file says, as between nodes.
std::vector<ProtocolCost> costs_on(const MeasuredProtocols& measured,
                                   std::span<const LevelSpec> levels);

}  // namespace orrery
