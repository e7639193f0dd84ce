// A network cannot carry a message, and never will: the simulated world's failure, which says who,
// in which state, and what to do about it. Exit code 1.
#pragma once

#include <stdexcept>

namespace orrery {

class NetworkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace orrery
