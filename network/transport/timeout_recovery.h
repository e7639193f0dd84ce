// Recovery by timeouts alone: no gap tells of a loss, as in pFabric (SIGCOMM 2013, 4.3).
#pragma once

#include <memory>

#include "network/transport/recovery.h"

namespace orrery {

std::unique_ptr<Recovery> make_timeout_recovery();

}  // namespace orrery
