#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "core/base/io_error.h"
#include "core/base/text_file.h"
#include "execution/process/other_program.h"
#include "execution/sweep/sweep_folder.h"
#include "frontends/cli/commands.h"
#include "report/html/chart_files.h"
#include "report/html/page_file.h"
#include "report/html/report_page.h"
#include "report/html/sweep_page.h"
#include "report/result_path.h"
#include "report/sweep_manifest.h"

namespace orrery::cli {

namespace {

namespace fs = std::filesystem;

// Of a folder that -o named, or a file itself.
fs::path json_of(const fs::path& result) {
  if (!fs::is_directory(result)) return result;
  for (const char* name : {"result.json", "comparison.json"})
    if (fs::exists(result / name)) return result / name;
  throw IoError(fmt::format(
      "{} holds no result.json and no comparison.json: write one with `orrery run FILE -o {}`",
      result.string(), result.string()));
}

fs::path page_of(const PageOptions& options) {
  if (!options.output.empty()) return options.output;
  if (options.results.size() > 1) return "report.html";
  return json_of(options.results.front()).parent_path() / "report.html";
}

// Beside the charts of the page, twice as many pixels wide.
void write_pictures(const fs::path& page) {
  const fs::path folder = chart_folder_of(page);
  for (const ChartFile& chart : charts_of(read_text_file(page.string()))) {
    const std::string drawing = (folder / chart.name).string();
    const std::string picture = fs::path(drawing).replace_extension(".png").string();
    if (run_program({"rsvg-convert", "--zoom", "2", drawing, "-o", picture},
                    "apt-get install librsvg2-bin") != 0)
      throw IoError(fmt::format("rsvg-convert wrote no {}", picture));
  }
}

bool is_sweep(const fs::path& folder) { return fs::exists(folder / manifest_name); }

bool is_beside(const fs::path& page, const fs::path& file) {
  return page.parent_path().lexically_normal() == file.parent_path().lexically_normal();
}

// Also runs.csv and kinds.csv, and pages of points, if the page lies in the folder.
ExitCode report_sweep(const PageOptions& options, const Terminal& terminal) {
  const fs::path folder = options.results.front();
  if (options.results.size() > 1)
    throw IoError(
        fmt::format("{} is a sweep: a page has one sweep, and nothing beside it", folder.string()));
  const fs::path page = options.output.empty() ? folder / "report.html" : fs::path(options.output);
  const bool tables_beside = is_beside(page, folder / manifest_name);
  std::vector<std::string> metrics;
  for (const std::string& metric : {options.metric, options.against})
    if (!metric.empty() && !is_sweep_column(metric) && !problem_of_path(metric))
      metrics.push_back(metric);
  SweepManifest sweep = read_sweep_folder(folder, metrics);
  if (tables_beside) write_pages_of_points(sweep);
  const std::string text = sweep_page(sweep, options.metric, options.against, tables_beside);
  if (tables_beside) write_collected(folder, sweep);
  write_page(page.string(), text);
  if (options.png) write_pictures(page);
  terminal.out << page.string() << '\n';
  return ok;
}

}  // namespace

ExitCode report(const PageOptions& options, const Terminal& terminal) {
  if (is_sweep(options.results.front())) return report_sweep(options, terminal);
  if (!options.metric.empty() || !options.against.empty())
    throw IoError(fmt::format("{} is no sweep: --metric and --against are of sweeps",
                              options.results.front()));
  std::vector<ReportInput> inputs;
  for (const std::string& result : options.results) {
    const fs::path file = json_of(result);
    inputs.push_back({file.string(), read_text_file(file.string())});
  }
  const fs::path page = page_of(options);
  const bool tables_beside = inputs.size() == 1 && is_beside(page, inputs.front().name);
  write_page(page.string(), report_page(inputs, tables_beside));
  if (options.png) write_pictures(page);
  terminal.out << page.string() << '\n';
  return ok;
}

}  // namespace orrery::cli
