#include "execution/host_meter.h"

#include <sys/resource.h>

#include <cstdint>
#include <ctime>

namespace orrery {

namespace {

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Of the process: simulations beside each other share it.
std::int64_t peak_memory_bytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return std::int64_t{use.ru_maxrss} * 1'024;
}

}  // namespace

HostMeter::HostMeter()
    : start_(std::chrono::steady_clock::now()), cpu_start_(thread_cpu_seconds()) {}

HostUse HostMeter::used() const {
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start_;
  return {wall.count(), thread_cpu_seconds() - cpu_start_, peak_memory_bytes()};
}

}  // namespace orrery
