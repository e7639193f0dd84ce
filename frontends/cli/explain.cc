#include <filesystem>

#include "frontends/cli/commands.h"
#include "frontends/yaml/key_reference.h"
#include "frontends/yaml/load_traffic.h"
#include "report/configuration_text.h"
#include "report/experiment_text.h"

namespace orrery::cli {

ExitCode explain(const std::string& file, const std::vector<Override>& overrides,
                 const Terminal& terminal) {
  if (looks_like_a_key(file) && !std::filesystem::exists(file)) {
    terminal.out << wrapped_text(explain_key(file), terminal.width);
    return ok;
  }
  InputTexts texts;
  const LoadedFile loaded = load_job_or_flows(file, overrides, texts);
  const auto* flows = std::get_if<TrafficExperiment>(&loaded);
  const Experiment& experiment =
      flows != nullptr ? flows->experiment : std::get<Experiment>(loaded);
  const std::string derived =
      flows != nullptr ? derived_numbers(experiment, flows->traffic) : derived_numbers(experiment);
  terminal.out << wrapped_text(configuration_text(experiment, file) + derived, terminal.width);
  return ok;
}

}  // namespace orrery::cli
