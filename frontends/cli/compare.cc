#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/config_error.h"
#include "core/base/log.h"
#include "execution/interrupt.h"
#include "execution/simulations.h"
#include "execution/tie_ranges.h"
#include "execution/what_ifs.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/named_examples.h"
#include "frontends/cli/variants.h"
#include "frontends/yaml/load_traffic.h"
#include "report/comparison_text.h"
#include "report/csv_report.h"
#include "report/html/page_file.h"
#include "report/html/report_page.h"
#include "report/json_report.h"
#include "report/result_folder.h"
#include "simulation/speedup.h"

namespace orrery::cli {

namespace {

std::string text_of(std::span<const RunResult> results, const SimulationOptions& options) {
  switch (options.format) {
    case Format::json:
      return comparison_json(results, options.report);
    case Format::csv:
      return csv_table("layers.csv", results);
    case Format::text:
      break;
  }
  return comparison_text(results, options.report);
}

void write_page_of(std::span<const RunResult> results, const SimulationOptions& options) {
  const ReportInput input{"the comparison", comparison_json(results, options.report)};
  write_page(options.page_file, report_page({&input, 1}, false));
}

struct LoadedFiles {
  std::vector<Experiment> experiments;
  std::vector<TrafficExperiment> flows;
};

void load_one(const std::string& file, const Variant& variant, bool is_only_file,
              const SimulationOptions& options, InputTexts& texts, LoadedFiles& files) {
  std::vector<Override> overrides = options.overrides;
  overrides.insert(overrides.end(), variant.overrides.begin(), variant.overrides.end());
  const auto name = [&](Experiment& experiment) {
    if (variant.name.empty()) return;
    experiment.name =
        is_only_file ? variant.name : fmt::format("{}: {}", experiment.name, variant.name);
  };
  LoadedFile loaded = load_job_or_flows(file, overrides, texts);
  if (auto* experiment = std::get_if<Experiment>(&loaded)) {
    name(*experiment);
    files.experiments.push_back(std::move(*experiment));
  } else {
    name(std::get<TrafficExperiment>(loaded).experiment);
    files.flows.push_back(std::get<TrafficExperiment>(std::move(loaded)));
  }
  if (!files.experiments.empty() && !files.flows.empty())
    throw ConfigError({.file = file,
                       .what = "of the files that are compared, some have a workload and some "
                               "have flows",
                       .remedy = "compare files of one kind"});
}

// Reads all files before anything is simulated, so that all their errors come at once.
LoadedFiles load_all(const SimulationOptions& options) {
  LoadedFiles files;
  InputTexts texts;
  std::vector<Diagnostic> wrong;
  std::set<std::string> said;
  const std::vector<Variant> variants = variants_of(options.vary);
  const std::vector<std::string> named = experiments_of(options.files);
  for (const std::string& file : named)
    for (const Variant& variant : variants) {
      try {
        load_one(file, variant, named.size() == 1, options, texts, files);
      } catch (const ConfigError& error) {
        for (const Diagnostic& diagnostic : error.diagnostics())
          if (said.insert(format_diagnostic(diagnostic)).second) wrong.push_back(diagnostic);
      }
    }
  if (!wrong.empty()) throw ConfigError(std::move(wrong));
  return files;
}

// The columns of a comparison are found by their names: a second "Hier" becomes "Hier (2)".
void make_unique(std::string& name, std::set<std::string>& taken) {
  const std::string given = name;
  for (int count = 2; !taken.insert(name).second; ++count)
    name = fmt::format("{} ({})", given, count);
}

// From the profile of the first system.
void predict(const std::vector<Experiment>& experiments, std::vector<RunResult>& results) {
  for (std::size_t i = 1; i < results.size(); ++i)
    results[i].predicted_speedup =
        predicted_speedup(experiments.front(), results.front(), experiments[i]);
  const auto is_known = [](const RunResult& result) {
    return result.predicted_speedup.has_value();
  };
  if (std::ranges::none_of(results, is_known))
    log::record(log::Level::notice, log::Room::frontends,
                "--predict: nothing is predicted: it is for data-parallel training, without "
                "tensor, pipeline, context or expert parallelism, of the same samples a rank on "
                "the same device; --what-if simulates faster parts");
}

}  // namespace

ExitCode compare(const SimulationOptions& options, const Terminal& terminal) {
  const Overwrite overwrite = options.force ? Overwrite::allow : Overwrite::refuse;
  LoadedFiles files = load_all(options);
  std::set<std::string> taken;
  for (TrafficExperiment& file : files.flows) make_unique(file.experiment.name, taken);
  if (!files.flows.empty() && !options.page_file.empty())
    throw ConfigError({.file = options.files.front(),
                       .what = "--report shows jobs, and this file has flows",
                       .remedy = "use -o, which writes their tables"});
  if (!files.flows.empty()) return compare_traffic(files.flows, options, terminal);
  std::vector<Experiment>& experiments = files.experiments;
  for (Experiment& experiment : experiments) make_unique(experiment.name, taken);
  const InterruptGuard interrupt;  // until all is written
  if (!options.output.empty()) prepare_result_folder(options.output, overwrite);
  std::vector<Outcome> outcomes = simulate_all(
      experiments, terminal, {.fold = options.fold, .page = !options.page_file.empty()});
  if (options.ties > 0)
    add_tie_ranges(experiments, options.ties, terminal, outcomes);
  else
    note_close_results(outcomes);

  if (options.what_if && !add_what_ifs(experiments, options.fold, terminal, outcomes))
    outcomes.back().failure = what_ifs_interrupted;

  ExitCode worst = ok;
  std::vector<RunResult> results;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    Outcome& outcome = outcomes[i];
    worst = std::max(worst, outcome.failure.exit_code);
    if (outcome.failure.exit_code != ok) {
      outcome.failure.text = fmt::format("{}: {}", experiments[i].name, outcome.failure.text);
    }
    if (!outcome.result) continue;
    results.push_back(*outcome.result);
    results.back().provenance = provenance_of(experiments[i], options.invocation);
  }
  add_differences(results);
  if (options.predict && results.size() == experiments.size()) predict(experiments, results);
  print_remarks(outcomes);
  if (!results.empty()) {
    terminal.out << text_of(results, options);
    if (!options.output.empty()) {
      write_comparison(options.output, results, options.report, overwrite);
    }
    if (!options.page_file.empty()) write_page_of(results, options);
  }
  return worst;
}

}  // namespace orrery::cli
