#include <fmt/format.h>

#include "frontends/astra/text_workload.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/failure.h"
#include "frontends/memory_notice.h"

namespace orrery::cli {

namespace {

// Returns the notices.
std::vector<std::string> check(const std::string& file, const std::vector<Override>& overrides) {
  const Experiment experiment = load_experiment(file, overrides);
  if (const auto* text = std::get_if<TextWorkloadSpec>(&experiment.workload.what)) {
    read_text_workload(text->file);
  }
  return memory_notices(experiment);
}

}  // namespace

ExitCode validate(const std::vector<std::string>& files, const std::vector<Override>& overrides,
                  const Terminal& terminal) {
  ExitCode worst = ok;
  for (const std::string& file : files) {
    try {
      const std::vector<std::string> notices = check(file, overrides);
      terminal.out << fmt::format("{}: ok\n", file);
      for (const std::string& notice : notices)
        terminal.error << fmt::format("notice: {}: {}\n", file, notice);
    } catch (...) {
      const Failure failure = describe_failure(std::current_exception());
      terminal.error << failure.text << '\n';
      worst = std::max(worst, failure.exit_code);
    }
  }
  return worst;
}

}  // namespace orrery::cli
