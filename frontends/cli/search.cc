#include "simulation/search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "core/base/log.h"
#include "core/units/unit_text.h"
#include "execution/interrupt.h"
#include "execution/progress/count_progress.h"
#include "execution/simulations.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/named_examples.h"
#include "frontends/yaml/searched_experiment.h"
#include "report/result_folder.h"
#include "report/search_report.h"
#include "simulation/forecast.h"

namespace orrery::cli {

namespace {

namespace fs = std::filesystem;

// Everything that fits, with its estimate. Less if it was interrupted.
SearchResult estimated(const SearchedExperiment& variants, const SearchOptions& options,
                       const InterruptGuard& interrupt, const Terminal& terminal) {
  const std::size_t all = variants.choices(variants.spec()).size();
  FittingChoices choices;
  {
    CountProgress progress(terminal, all, "configurations checked");
    choices = fitting_choices(variants, variants.spec(), options.jobs, [&](std::size_t done) {
      progress.show(done);
      return !interrupt.interrupted();
    });
  }
  choices = even_ones_of(std::move(choices), variants.written().topology);
  CountProgress progress(terminal, choices.fitting.size(), "configurations estimated");
  return estimate_choices(variants, std::move(choices), options.jobs, [&](std::size_t done) {
    progress.show(done);
    return !interrupt.interrupted();
  });
}

// The best `options.simulate` by estimate. Returns the worst exit code.
ExitCode simulate_best(const SearchedExperiment& variants, SearchResult& result,
                       const SearchOptions& options, const Terminal& terminal) {
  std::vector<Experiment> experiments;
  for (const SearchRow& row : result.rows)
    if (experiments.size() < options.simulate)
      experiments.push_back(variants.experiment(row.found.training));
  if (const std::string work = work_together(experiments); !work.empty())
    log::write(log::Level::notice, log::Room::frontends, work + ": fewer with --simulate");
  const std::vector<Outcome> outcomes = simulate_all(experiments, terminal);
  ExitCode worst = ok;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    worst = std::max(worst, outcomes[i].failure.exit_code);
    if (outcomes[i].failure.exit_code != ok) continue;
    const Duration finish = outcomes[i].result->finish;
    result.rows[i].simulated = Duration{finish.value / experiments[i].workload.iterations};
    result.rows[i].ignored = outcomes[i].result->ignored;
  }
  print_remarks(outcomes);
  sort_by_time(result.rows);
  return worst;
}

std::string best_text(const SearchedExperiment& variants, const SearchResult& result,
                      const std::string& file) {
  const SearchRow& best = result.rows.front();
  const ParallelChoice& choice = best.found.choice;
  const std::int32_t data = best.found.training.data;
  const std::string how =
      best.simulated ? fmt::format("simulated on the {} backend", result.backend) : "an estimate";
  return variants.text(
      choice, data,
      fmt::format("# The fastest of {} that `orrery search {}` found{}:\n# {}: {} "
                  "an iteration ({}), {} of memory.\n",
                  result.rows.size(), file, result.partial ? " before it was interrupted" : "",
                  text_of(choice, data), to_text(best.time()), how, to_text(best.found.memory)));
}

void write_results(const fs::path& folder, const SearchedExperiment& variants,
                   const SearchResult& result, const SearchOptions& options) {
  write_whole_file(folder / "search.json", search_json(result, options.top));
  write_whole_file(folder / "search.csv", search_csv(result));
  if (result.rows.empty()) return;
  write_whole_file(folder / "search.svg", search_picture(result));
  write_whole_file(folder / "best.yaml", best_text(variants, result, options.file));
}

std::string report(const SearchResult& result, const SearchOptions& options) {
  switch (options.format) {
    case Format::json:
      return search_json(result, options.top);
    case Format::csv:
      return search_csv(result);
    case Format::text:
      break;
  }
  return search_text(result, options.top);
}

}  // namespace

ExitCode search(const SearchOptions& options, const Terminal& terminal) {
  const SearchedExperiment variants(experiment_of(options.file), options.overrides);
  const Overwrite overwrite = options.force ? Overwrite::allow : Overwrite::refuse;
  if (!options.output.empty()) prepare_result_folder(options.output, overwrite);
  SearchResult result;
  ExitCode exit_code = ok;
  {
    const InterruptGuard interrupt;
    result = estimated(variants, options, interrupt, terminal);
    if (interrupt.interrupted()) exit_code = interrupted;
  }
  if (exit_code == interrupted)
    log::write(log::Level::error, log::Room::frontends,
               "interrupted: the result is partial, and marked so");
  else
    exit_code = simulate_best(variants, result, options, terminal);
  if (exit_code == interrupted) result.partial = true;
  const std::string text = report(result, options);
  terminal.out << (options.format == Format::text ? wrapped_text(text, terminal.width) : text);
  if (!options.output.empty()) write_results(options.output, variants, result, options);
  return result.rows.empty() && !result.partial ? simulation_failed : exit_code;
}

}  // namespace orrery::cli
