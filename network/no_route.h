// There is no path between two nodes, and nothing to come will make one. Exit code 1.
#pragma once

#include "network/network_error.h"

namespace orrery {

class NoRouteError : public NetworkError {
 public:
  using NetworkError::NetworkError;
};

}  // namespace orrery
