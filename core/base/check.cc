#include "core/base/check.h"

#include "core/base/running_clock.h"
#include "core/units/unit_text.h"

namespace orrery::check_internal {

void fail(const char* file, int line, const char* condition, std::string details) {
  const Time* now = RunningClock::now();
  const std::string when =
      now == nullptr ? "" : fmt::format(" at {}", exact_text(now->since_start));
  throw CheckFailure(
      fmt::format("{}:{}: CHECK({}) failed{}: {}", file, line, condition, when, details));
}

}  // namespace orrery::check_internal
