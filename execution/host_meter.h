// What a command costs the machine that it runs on.
#pragma once

#include <chrono>

#include "simulation/result_rows.h"

namespace orrery {

// From its construction on: elapsed time, and processor time of the thread that made it.
class HostMeter {
 public:
  HostMeter();
  HostUse used() const;  // REQUIRES: in the same thread

 private:
  std::chrono::steady_clock::time_point start_;
  double cpu_start_;
};

}  // namespace orrery
