#include "report/measured_text.h"

#include <fmt/format.h>

#include <cmath>

#include "core/units/unit_text.h"
#include "report/expected_error_text.h"
#include "report/text_table.h"

namespace orrery {

namespace {

std::string heading(const RunResult& result, Duration measured) {
  const double simulated = static_cast<double>(iteration_time(result)->value);
  const double error = simulated / static_cast<double>(measured.value) - 1;
  std::string text = fmt::format("measured {}: simulated {:.1f} % too {}", to_text(measured),
                                 100 * std::abs(error), error < 0 ? "short" : "long");
  if (result.expected_error)
    text += fmt::format(", {} the expected {}",
                        std::abs(error) <= result.expected_error->band ? "within" : "beyond",
                        band_text(*result.expected_error));
  return text + '\n';
}

std::string causes(bool too_short) {
  if (too_short)
    return "Not simulated unless the file has it: jitter and stragglers (platform.npu), waiting "
           "for "
           "data, checkpoints, other jobs on the network, and what older software does not hide "
           "(overlap_gradient_sums, overlap_gradients).\n";
  return "Perhaps the file says less than the software does: overlap_tensor, overlap_parameters, "
         "fused_cross_entropy, no recomputation, or kernels that are better than those of the "
         "efficiency in force.\n";
}

}  // namespace

std::string measured_text(const RunResult& result, Duration measured) {
  const Duration simulated = *iteration_time(result);
  const Duration missing = measured - simulated;
  using enum TextTable::Align;
  TextTable table({{"what alone would explain it", left},
                   {"on", left},
                   {"simulated"},
                   {"would be"},
                   {"times"}});
  for (const TimePart& part : result.why) {
    const Duration time{part.time.value / iteration_count(result)};
    if (time <= Duration{}) continue;
    const Duration needed = time + missing;
    const bool possible = needed > Duration{};
    table.add_row({part.part, part.level, to_text(time), possible ? to_text(needed) : "-",
                   possible ? fmt::format("{:.2f}", static_cast<double>(needed.value) /
                                                        static_cast<double>(time.value))
                            : "not alone"});
  }
  return heading(result, measured) + table.text() + causes(missing > Duration{});
}

}  // namespace orrery
