#include "report/memory_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units/unit_text.h"
#include "simulation/memory_fit.h"

namespace orrery {

std::string memory_cell(const RunResult& result) {
  const std::optional<Bytes> most = fullest_memory(result);
  if (!most) return "-";
  return to_text(*most) + (fits_memory(result) ? "" : ", does not fit");
}

bool any_memory(std::span<const RunResult> results) {
  return std::ranges::any_of(results, [](const RunResult& one) { return !one.memory.empty(); });
}

std::string without_room_text(std::span<const RunResult> results) {
  const bool any_fits = std::ranges::any_of(results, fits_memory);
  std::string text;
  for (const RunResult& result : results)
    if (!fits_memory(result))
      text += fmt::format("{} DOES NOT FIT: {} of {} of memory{}\n", result.name,
                          to_text(*fullest_memory(result)), to_text(*result.npu_memory),
                          any_fits ? ", so it is not the fastest whatever its time" : "");
  return text;
}

}  // namespace orrery
