// A simulated time, size, rate or amount of work leaves the range of its 64 bits: the job is too
// long or too large. Exit code 1.
#pragma once

#include <stdexcept>

namespace orrery {

class RangeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace orrery
