#include "report/html/report_page.h"

#include <fmt/format.h>

#include <vector>

#include "core/base/io_error.h"
#include "report/chart/markup.h"
#include "report/html/page.h"
#include "report/html/sections.h"

namespace orrery {

namespace {

constexpr std::size_t most_systems = 8, most_name = 60;

ResultJson parsed(const ReportInput& input) {
  try {
    return ResultJson::parse(input.json);
  } catch (const ResultJson::exception& error) {
    throw IoError(fmt::format("{} is not a result: {}", input.name, error.what()));
  }
}

// One run, or those of a comparison.
void add_runs(std::vector<ReportedRun>& runs, const ReportInput& input, bool has_tables) {
  ResultJson result = parsed(input);
  const std::string schema = result.is_object() ? result.value("schema", "") : "";
  if (schema == "orrery.run/1") {
    runs.push_back({std::move(result), false, has_tables});
  } else if (schema == "orrery.compare/1") {
    for (ResultJson& system : result.at("systems"))
      runs.push_back({std::move(system), true, has_tables});
  } else {
    throw IoError(
        fmt::format("{} has the schema \"{}\": a report needs orrery.run/1 or "
                    "orrery.compare/1; simulate it again with this version",
                    input.name, schema));
  }
}

std::vector<ReportedRun> runs_of(std::span<const ReportInput> inputs, bool tables_beside) {
  std::vector<ReportedRun> runs;
  for (const ReportInput& input : inputs) add_runs(runs, input, tables_beside);
  if (runs.empty()) throw IoError(inputs[0].name + " holds no run");
  if (runs.size() > most_systems)
    throw IoError(fmt::format("a report shows {} systems at most, and these are {}: name fewer",
                              most_systems, runs.size()));
  for (ReportedRun& run : runs) {
    run.result["name"] = shortened(text_of(run.result, "name"), most_name);
    run.is_compared = runs.size() > 1;
  }
  return runs;
}

std::string title_of(ReportedRuns runs) {
  std::string title;
  for (const ReportedRun& run : runs)
    title += (title.empty() ? "" : ", ") + text_of(run.result, "name");
  return title;
}

std::vector<Section> sections_of(ReportedRuns runs) {
  std::vector<Section> sections;
  for (const auto& ask : {what_changed, where_time_goes, what_pipeline_does, which_layer_waits,
                          which_network_part_is_full, where_packets_wait, who_talks_to_whom,
                          how_good_collectives_are, whether_it_fits, what_was_simulated}) {
    Section section = ask(runs);
    if (!section.figures.empty()) sections.push_back(std::move(section));
  }
  return sections;
}

std::size_t bytes_of_pictures(const std::vector<Section>& sections) {
  std::size_t sum = 0;
  for (const Section& section : sections)
    for (const Figure& figure : section.figures) sum += figure.picture.size();
  return sum;
}

// Charts leave room for tables.
std::string page_of(std::vector<ReportedRun> runs) {
  constexpr std::size_t coarsest = 16, most_bytes = most_page_bytes / 2;
  std::vector<Section> sections = sections_of(runs);
  while (bytes_of_pictures(sections) > most_bytes && runs[0].coarseness < coarsest) {
    for (ReportedRun& run : runs) run.coarseness *= 2;
    sections = sections_of(runs);
  }
  return html_page(title_of(runs), std::move(sections));
}

}  // namespace

std::string caption_of(const ReportedRun& run) {
  return run.is_compared ? text_of(run.result, "name") : "";
}

std::string report_page(std::span<const ReportInput> inputs, bool tables_beside) {
  try {
    return page_of(runs_of(inputs, tables_beside));
  } catch (const ResultJson::exception& error) {
    throw IoError(fmt::format("{} is not a result that this version wrote: {}", inputs[0].name,
                              error.what()));
  }
}

bool is_report_page(const std::string& text) { return text.starts_with(page_beginning); }

}  // namespace orrery
