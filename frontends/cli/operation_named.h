// The collective that a command line names.
#pragma once

#include <string>

#include "system/collective_algorithm.h"

namespace orrery {

// Throws ConfigError, which names the nearest one.
Collective operation_named(const std::string& name);

}  // namespace orrery
