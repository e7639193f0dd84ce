#include "simulation/result/stage_notices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units/unit_text.h"

namespace orrery {

namespace {

Duration rounded(double picoseconds_long) {
  constexpr double kMost = 9e18;  // of 64 bits
  return Duration{std::llround(std::min(picoseconds_long, kMost))};
}

}  // namespace

std::vector<std::string> stage_notices(const RunResult& result, const Experiment& experiment,
                                       const Topology& topology) {
  const auto* text = std::get_if<LayerTableWorkload>(&experiment.workload.what);
  const std::optional<Duration> iteration = iteration_time(result);
  if (text == nullptr || text->table.groups.stages == 1 || !iteration) return {};
  const TransformerGroups& groups = text->table.groups;
  const double parts = static_cast<double>(groups.micro_batches) * groups.virtual_stages;
  const double share = (groups.stages - 1) / parts;
  const LevelSpec& outermost = topology.levels().back();
  const double message = static_cast<double>(groups.between_stages.value) /
                             static_cast<double>(outermost.bandwidth.value) * 1e12 +
                         static_cast<double>(outermost.latency.value);
  const auto pass = static_cast<double>(iteration->value);
  const Duration bubble = rounded(pass * share), messages = rounded(2 * parts * message);
  return {fmt::format(
      "{} is one of {} stages. Not simulated, in closed form: a bubble of (pp - 1) / (ga x vpp) = "
      "{:.1f} % of the iteration, {}, and 2 x ga x vpp = {} messages of {} over {}, {}; together "
      "an "
      "iteration of {}",
      text->file, groups.stages, share * 100, to_text(bubble),
      2 * std::int64_t{groups.micro_batches} * groups.virtual_stages,
      to_text(groups.between_stages), outermost.name, to_text(messages),
      to_text(rounded(pass * (1 + share) + 2 * parts * message)))};
}

}  // namespace orrery
