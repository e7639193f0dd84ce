#include "simulation/result/unused_key_notices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "simulation/named_for_all.h"
#include "simulation/timed_work.h"
#include "simulation/written.h"

namespace orrery {

namespace {

constexpr std::array<std::string_view, 3> rates = {
    "platform.npu.peak", "platform.npu.memory_bandwidth", "platform.npu.efficiency"};

std::string file_of(const ResolvedValue& value) {
  return value.origin.substr(0, value.origin.rfind(':'));
}

// "" if the command line says all of it.
std::string file_of_workload(const Experiment& experiment) {
  const auto found = std::ranges::find_if(experiment.resolved, [](const ResolvedValue& value) {
    return value.path.starts_with("workload.") && is_written(value) && value.origin != "--set";
  });
  return found == experiment.resolved.end() ? "" : file_of(*found);
}

std::string notice_of_rates(const RunResult& result, const Experiment& experiment) {
  if (result.compute == Duration{} || computes_times(experiment.workload)) return "";
  const std::string file = file_of_workload(experiment);
  std::vector<std::string_view> keys;
  for (const ResolvedValue& value : experiment.resolved) {
    const bool is_rate = std::ranges::any_of(
        rates, [&](std::string_view rate) { return value.path.starts_with(rate); });
    if (is_rate && is_written(value) && (value.origin == "--set" || file_of(value) == file))
      keys.push_back(value.path);
  }
  if (keys.empty()) return "";
  return fmt::format("{} {} no effect, because the workload says how long it computes: write {}",
                     fmt::join(keys, ", "), keys.size() == 1 ? "has" : "have",
                     shorter_work(experiment.workload));
}

}  // namespace

std::vector<std::string> unused_key_notices(const RunResult& result, const Experiment& experiment) {
  std::vector<std::string> notices = notices_of_names(experiment);
  if (std::string rates = notice_of_rates(result, experiment); !rates.empty())
    notices.push_back(std::move(rates));
  return notices;
}

}  // namespace orrery
