#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <vector>

#include "core/base/io_error.h"
#include "core/base/text_file.h"
#include "execution/process/other_program.h"
#include "execution/sweep/sweep_folder.h"
#include "frontends/cli/commands.h"
#include "report/html/chart_files.h"
#include "report/html/report_page.h"
#include "report/html/sweep_page.h"
#include "report/result_folder.h"
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

// charts/ beside report.html, NAME-charts/ beside another page.
fs::path chart_folder_of(const fs::path& page) {
  const std::string stem = page.stem().string();
  return page.parent_path() / (stem == "report" ? "charts" : stem + "-charts");
}

// What an earlier page had there and this one has not.
void remove_other_charts(const fs::path& folder, std::span<const ChartFile> charts) {
  std::vector<fs::path> others;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && entry.path().extension() == ".svg" &&
        std::ranges::find(charts, name, &ChartFile::name) == charts.end() &&
        is_chart_file(read_text_file(entry.path().string())))
      others.push_back(entry.path());
  }
  for (const fs::path& other : others) fs::remove(other);
}

void write_charts(const fs::path& folder, std::span<const ChartFile> charts) {
  prepare_result_folder(folder, Overwrite::allow);
  remove_other_charts(folder, charts);
  for (const ChartFile& chart : charts) write_whole_file(folder / chart.name, chart.text);
}

void write_only_page(const std::string& file, const std::string& page) {
  if (fs::exists(file) && !is_report_page(read_text_file(file)))
    throw IoError(fmt::format("{} is there and is not a report: name another file", file));
  write_whole_file(file, page);
}

}  // namespace

void write_page(const std::string& file, const std::string& page) {
  const fs::path folder = chart_folder_of(file);
  const std::vector<ChartFile> charts = charts_of(page);
  for (const ChartFile& chart : charts) {
    const std::string name = (folder / chart.name).string();
    if (fs::exists(name) && !is_chart_file(read_text_file(name)))
      throw IoError(fmt::format("{} is there and is not a chart of a report: move it away", name));
  }
  write_only_page(file, page);
  if (!charts.empty()) write_charts(folder, charts);
}

namespace {

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

// "" where the result is of a version whose pages this one does not write.
std::string page_of_point(const SweepRow& row) {
  const std::string json = (row.folder / "result.json").string();
  const ReportInput input{json, read_text_file(json)};
  try {
    return report_page({&input, 1}, true);
  } catch (const IoError&) {
    return "";
  }
}

// A click on a point leads to its run: to a page of the fastest, to the folder of the others.
void write_pages_of_points(SweepManifest& sweep) {
  constexpr std::size_t most_pages = 100;
  std::vector<SweepRow*> rows;
  for (SweepRow& row : sweep.rows) {
    if (row.is_line || row.status == "not run") continue;
    row.page = "points/" + row.folder.filename().string() + "/";
    if (row.status == "ok" && !row.has_flows) rows.push_back(&row);
  }
  std::ranges::stable_sort(rows, {}, &SweepRow::finish);
  rows.resize(std::min(rows.size(), most_pages));
  for (SweepRow* row : rows) {
    const std::string page = page_of_point(*row);
    if (page.empty()) continue;
    write_only_page((row->folder / "report.html").string(), page);
    row->page += "report.html";
  }
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
