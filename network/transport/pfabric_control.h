// The window of pFabric: M. Alizadeh et al., SIGCOMM 2013, 4.3. It begins at line rate, a BDP of
// the path, and falls only when a timeout says that nothing comes through.
#pragma once

#include <memory>

#include "network/transport/congestion_control.h"

namespace orrery {

std::unique_ptr<CongestionControl> make_pfabric_control(const RoceSpec& spec,
                                                        const PathFacts& facts);

}  // namespace orrery
