#include "report/measured_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/units/unit_text.h"
#include "report/expected_error_text.h"
#include "report/text_table.h"
#include "report/why_text.h"

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

// Only parameters that ranks share are gathered, and zero3 always does it beside its passes.
bool may_gather_ahead(const RunResult& result) {
  const auto is_set = [&](std::string_view key, std::string_view value) {
    return std::ranges::any_of(result.provenance.configuration, [&](const auto& setting) {
      return setting.key.ends_with(key) && setting.value == value;
    });
  };
  return (is_set("training.sharding", "zero1") || is_set("training.sharding", "zero2")) &&
         is_set("training.overlap_parameters", "false");
}

// What software may do and the file does not say, of what this job has.
std::string faster_software(const RunResult& result) {
  const auto waits_for = [&](std::string_view kind) {
    return std::ranges::any_of(result.why,
                               [&](const TimePart& part) { return kind_of(part) == kind; });
  };
  std::string text;
  if (waits_for("TP")) text += "overlap_tensor, ";
  if (waits_for("DP") && may_gather_ahead(result)) text += "overlap_parameters, ";
  text += "fused_cross_entropy, ";
  if (std::ranges::any_of(result.memory, [](const MemoryRow& row) { return row.again > Bytes{}; }))
    text += "no recomputation, ";
  return text;
}

std::string causes(const RunResult& result, bool too_short) {
  if (too_short)
    return "Not simulated unless the file has it: jitter and stragglers (platform.npu), waiting "
           "for data, checkpoints, other jobs on the network, and what older software does not "
           "hide (overlap_gradient_sums, overlap_gradients).\n";
  return fmt::format(
      "Perhaps the file says less than the software does: {}or kernels that are better than those "
      "of the efficiency in force.\n",
      faster_software(result));
}

// In which the peak of the processor does the operations that were simulated; 0 if it is not known.
Duration at_the_peak(const RunResult& result) {
  if (!result.training) return {};
  for (const UtilisationRow& row : result.training->utilisation)
    if (row.convention == "executed" && row.utilisation)
      return Duration{
          std::llround(*row.utilisation * static_cast<double>(iteration_time(result)->value))};
  return {};
}

}  // namespace

namespace {

// What the busiest link of a level takes for the bytes of an iteration; 0 if computing takes
// longer.
Duration least_of_level(const RunResult& result) {
  if (result.bound_by == "compute" || result.bound > result.finish) return {};
  return Duration{result.bound.value / iteration_count(result)};
}

bool is_computed(const TimePart& part) {
  return part.bound_by == BoundBy::compute_rate || part.bound_by == BoundBy::memory_bandwidth ||
         part.bound_by == BoundBy::launches || part.bound_by == BoundBy::collectives;
}

}  // namespace

std::string measured_text(const RunResult& result, Duration measured) {
  const Duration simulated = *iteration_time(result);
  const Duration missing = measured - simulated, least = at_the_peak(result);
  const Duration of_level = least_of_level(result);
  using enum TextTable::Align;
  TextTable table({{"what alone would explain it", left},
                   {"on", left},
                   {"simulated"},
                   {"would be"},
                   {"times"}});
  std::int32_t left_out = 0;
  for (const TimePart& part : result.why) {
    const Duration time{part.time.value / iteration_count(result)};
    if (time <= Duration{}) continue;
    const Duration needed = time + missing;
    constexpr std::int64_t most_times = 10;  // what would have to be longer still explains nothing
    if (needed > time * most_times) {
      ++left_out;
      continue;
    }
    const bool possible = needed > Duration{} &&
                          (part.bound_by != BoundBy::compute_rate || needed >= least) &&
                          (!is_computed(part) || measured >= of_level);
    table.add_row({part.part, part.level, to_text(time), possible ? to_text(needed) : "-",
                   possible ? fmt::format("{:.2f}", static_cast<double>(needed.value) /
                                                        static_cast<double>(time.value))
                            : "not alone"});
  }
  if (measured < least)
    return heading(result, measured) + table.text() +
           fmt::format(
               "The operations that were simulated take {} at the peak of the processor "
               "alone: the file has more of them, or another processor.\n",
               to_text(least));
  std::string others;
  if (left_out > 0)
    others = fmt::format("{} more would have to be more than 10 times as long.\n", left_out);
  if (measured < of_level)
    others += fmt::format(
        "No compute rate explains it: the bytes of an iteration take {} on {} alone. The file has "
        "more of them than were sent, or less bandwidth.\n",
        to_text(of_level), result.bound_by);
  return heading(result, measured) + table.text() + others + causes(result, missing > Duration{});
}

}  // namespace orrery
