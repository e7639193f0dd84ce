#include "core/base/running_clock.h"

#include <utility>

namespace orrery {

namespace {
thread_local const Time* innermost = nullptr;
}

RunningClock::RunningClock(const Time& now) : outer_(std::exchange(innermost, &now)) {}
RunningClock::~RunningClock() { innermost = outer_; }

const Time* RunningClock::now() { return innermost; }

}  // namespace orrery
