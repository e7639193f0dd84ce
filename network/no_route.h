// There is no path between two nodes, and nothing to come will make one. Exit code 1.
#pragma once

#include <stdexcept>

namespace orrery {

class NoRouteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace orrery
