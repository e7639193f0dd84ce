#include "report/configuration_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "report/backend_text.h"
#include "report/text_table.h"

namespace orrery {

namespace {

std::string efficiency(const Experiment& experiment) {
  const EfficiencyInForce& in_force = experiment.npu.efficiency_in_force;
  return in_force.name.empty() ? "" : fmt::format("efficiency: {}\n", efficiency_text(in_force));
}

std::string protocols(const Experiment& experiment) {
  const ProtocolsInForce& in_force = experiment.protocols_in_force;
  return in_force.name.empty() ? "" : fmt::format("protocols: {}\n", protocols_text(in_force));
}

std::string list_text(const std::vector<NamedAlgorithm>& algorithms) {
  const std::string names = names_of(algorithms, ", ");
  return algorithms.size() == 1 ? names : '[' + names + ']';
}

// Schedules and chunks that are chosen call by call, or kind by kind, have no value of their own.
std::string value_text(const ResolvedValue& value, const SystemSpec& system) {
  const auto is_chosen = [&](const CollectiveSpec& spec, std::string_view key) {
    return (key == "schedule" && is_automatic(spec.algorithms) && spec.any_schedule) ||
           (key == "chunks" && chooses_chunks(spec));
  };
  const bool is_schedule = value.path == "system.schedule";
  bool all_are = is_schedule || value.path == "system.chunks";
  for (int i = 0; i < collective_count; ++i) {
    const CollectiveSpec& spec = system.collectives[static_cast<std::size_t>(i)];
    const std::string in = fmt::format("system.{}.", name_of(static_cast<Collective>(i)));
    const std::string key = value.path.starts_with(in) ? value.path.substr(in.size()) : "";
    if (is_chosen(spec, key)) return "auto";
    if (key == "schedule") return std::string(name_of(spec.schedule));
    if (key == "algorithms") return list_text(spec.algorithms);
    if (is_schedule && spec.any_schedule && spec.schedule != HierarchicalSchedule::baseline)
      return "auto";
    all_are = all_are && is_chosen(spec, value.path.substr(value.path.find('.') + 1));
  }
  return all_are ? "auto" : value.value;
}

}  // namespace

std::string configuration_text(const Experiment& experiment, const std::string& file) {
  TextTable table({{"key", left_aligned},
                   {"value", left_aligned},
                   {"from", left_aligned},
                   {"what it is", left_aligned}});
  for (const ResolvedValue& value : experiment.resolved)
    table.add_row({value.path, value_text(value, experiment.system), value.origin, value.help});
  return fmt::format("{}, as read from {}\n", experiment.name, file) + efficiency(experiment) +
         protocols(experiment) + '\n' + table.text();
}

}  // namespace orrery
