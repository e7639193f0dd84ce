#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "core/base/log.h"
#include "execution/failure.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/named_examples.h"
#include "frontends/yaml/load_traffic.h"
#include "frontends/yaml/searched_experiment.h"
#include "report/search_report.h"
#include "simulation/result/memory_notice.h"
#include "simulation/result/training_notices.h"
#include "simulation/search/fitting.h"

namespace orrery::cli {

namespace {

// Returns the notices.
std::vector<std::string> check(const std::string& file, const std::vector<Override>& overrides) {
  InputTexts texts;
  const LoadedFile loaded = load_job_or_flows(file, overrides, texts);
  if (!std::holds_alternative<Experiment>(loaded)) return {};
  const auto& experiment = std::get<Experiment>(loaded);
  std::vector<std::string> notices = memory_notices(experiment);
  for (std::string& notice : training_notices(experiment)) notices.push_back(std::move(notice));
  for (std::string& notice : system_notices(experiment.system))
    notices.push_back(std::move(notice));
  return notices;
}

// In the order of micro-batches that is written, unless `search:` lists others.
std::string what_fits(const std::string& file, const std::vector<Override>& overrides) {
  const SearchedExperiment variants(file, overrides);
  SearchSpec spec = variants.spec();
  spec.overlap_tensor = false;  // takes no memory
  const ParallelChoice& written = variants.written_choice();
  if (spec.schedule.empty()) spec.schedule = {written.schedule};
  if (spec.chunks.empty() && written.chunks > 1) spec.chunks = {written.chunks};
  return what_fits_text(
      fitting_choices(variants, spec, std::max(1U, std::thread::hardware_concurrency())));
}

}  // namespace

ExitCode validate(const ValidateOptions& options, const Terminal& terminal) {
  ExitCode worst = ok;
  for (const std::string& file : experiments_of(options.files)) {
    try {
      if (options.what_fits) {
        terminal.out << wrapped_text(what_fits(file, options.overrides), terminal.width);
        continue;
      }
      const std::vector<std::string> notices = check(file, options.overrides);
      terminal.out << fmt::format("{}: ok\n", file);
      for (const std::string& notice : notices)
        log::record(log::Level::notice, log::Room::frontends, "{}: {}", file, notice);
    } catch (...) {
      const Failure failure = describe_failure(std::current_exception());
      log::write(log::Level::error, log::Room::frontends, failure.text);
      worst = std::max(worst, failure.exit_code);
    }
  }
  return worst;
}

}  // namespace orrery::cli
