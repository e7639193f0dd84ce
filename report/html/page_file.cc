#include "report/html/page_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "core/base/io_error.h"
#include "core/base/text_file.h"
#include "report/html/chart_files.h"
#include "report/html/report_page.h"
#include "report/result_folder.h"

namespace orrery {

namespace fs = std::filesystem;

namespace {

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

}  // namespace

fs::path chart_folder_of(const fs::path& page) {
  const std::string stem = page.stem().string();
  return page.parent_path() / (stem == "report" ? "charts" : stem + "-charts");
}

void write_page(const fs::path& file, const std::string& page) {
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

}  // namespace orrery
