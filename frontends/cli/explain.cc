#include <fmt/format.h>

#include <filesystem>

#include "frontends/cli/commands.h"
#include "frontends/yaml/key_reference.h"
#include "frontends/yaml/load_traffic.h"
#include "report/backend_text.h"
#include "report/experiment_text.h"
#include "report/text_table.h"

namespace orrery::cli {

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

ExitCode explain(const std::string& file, const std::vector<Override>& overrides,
                 const Terminal& terminal) {
  constexpr auto left = TextTable::Align::left;
  if (looks_like_a_key(file) && !std::filesystem::exists(file)) {
    terminal.out << wrapped_text(explain_key(file), terminal.width);
    return ok;
  }
  InputTexts texts;
  const LoadedFile loaded = load_job_or_flows(file, overrides, texts);
  const auto* flows = std::get_if<TrafficExperiment>(&loaded);
  const Experiment& experiment =
      flows != nullptr ? flows->experiment : std::get<Experiment>(loaded);
  TextTable table({{"key", left}, {"value", left}, {"from", left}, {"what it is", left}});
  for (const ResolvedValue& value : experiment.resolved) {
    table.add_row({value.path, value_text(value, experiment.system), value.origin, value.help});
  }
  terminal.out << wrapped_text(fmt::format("{}, as read from {}\n", experiment.name, file) +
                                   efficiency(experiment) + protocols(experiment) + '\n' +
                                   table.text() +
                                   (flows != nullptr ? derived_numbers(experiment, flows->traffic)
                                                     : derived_numbers(experiment)),
                               terminal.width);
  return ok;
}

}  // namespace orrery::cli
