#include "core/units/range_error.h"

#include <fmt/format.h>

#include "core/units/unit_text.h"

namespace orrery::units_internal {

void leave_range(const char* beyond) { throw RangeError(beyond); }

void leave_range_at_rate(std::int64_t amount, std::int64_t rate_per_second, bool of_bytes) {
  const std::string work = of_bytes ? to_text(bytes(amount)) : to_text(flops(amount));
  const std::string rate =
      of_bytes ? to_text(Bandwidth{rate_per_second}) : to_text(FlopRate{rate_per_second});
  throw RangeError(fmt::format(
      "{} at {} take longer than 106 days (2^63 ps): check that rate, or simulate less work", work,
      rate));
}

}  // namespace orrery::units_internal
