// Collectives whose steps and bytes are known by hand.
#pragma once

#include <cstdint>

#include "system/system_spec.h"

namespace orrery {

// Every kind goes round a ring on each level, one level after the other, in so many chunks.
inline void use_rings(SystemSpec& system, std::int32_t chunks) {
  for (CollectiveSpec& spec : system.collectives) {
    spec.algorithms = {"ring"};
    spec.chunks = chunks;
    spec.any_schedule = spec.any_chunks = false;
  }
}

}  // namespace orrery
