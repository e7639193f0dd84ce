#include <fmt/format.h>

#include <filesystem>

#include "frontends/cli/commands.h"
#include "frontends/cli/derived_numbers.h"
#include "frontends/report/backend_text.h"
#include "frontends/report/text_table.h"
#include "frontends/yaml/key_reference.h"

namespace orrery::cli {

namespace {

std::string efficiency(const Experiment& experiment) {
  const EfficiencyInForce& in_force = experiment.npu.efficiency_in_force;
  return in_force.name.empty() ? "" : fmt::format("efficiency: {}\n", efficiency_text(in_force));
}

}  // namespace

ExitCode explain(const std::string& file, const std::vector<Override>& overrides,
                 const Terminal& terminal) {
  constexpr auto left = TextTable::Align::left;
  if (looks_like_a_key(file) && !std::filesystem::exists(file)) {
    terminal.out << wrapped_text(explain_key(file), terminal.width);
    return ok;
  }
  const Experiment experiment = load_experiment(file, overrides);
  TextTable table({{"key", left}, {"value", left}, {"from", left}, {"what it is", left}});
  for (const ResolvedValue& value : experiment.resolved) {
    table.add_row({value.path, value.value, value.origin, value.help});
  }
  terminal.out << wrapped_text(fmt::format("{}, as read from {}\n", experiment.name, file) +
                                   efficiency(experiment) + '\n' + table.text() +
                                   derived_numbers(experiment),
                               terminal.width);
  return ok;
}

}  // namespace orrery::cli
