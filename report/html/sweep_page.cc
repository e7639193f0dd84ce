#include "report/html/sweep_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/io_error.h"
#include "report/html/page.h"
#include "report/html/sweep_sections.h"
#include "report/sweep_view.h"

namespace orrery {

namespace {

constexpr std::size_t most_sweep_rows = 2'000;

std::string summary_of(const SweepView& view, const SweepManifest& sweep) {
  const auto count = [&](const char* status) {
    return std::ranges::count(sweep.rows, status, &SweepRow::status);
  };
  std::string text = fmt::format("{} of {} points are done", count("ok"), sweep.rows.size());
  if (count("failed") > 0) text += fmt::format(", {} failed", count("failed"));
  text += '.';
  if (view.best)
    text += fmt::format(" The best, {}, has a {} of {}.", view.text_of(view.cells[*view.best]),
                        view.metric.words,
                        view.metric.text_of(quantile(view.cells[*view.best].results, 0.5)));
  return text;
}

// Of its folder: what comes after the values, which are columns.
std::string short_name_of(const SweepRow& row) {
  const std::string name = row.folder.filename().string();
  const std::size_t comma = name.rfind(',');
  return comma == std::string::npos ? "points/" + name : name.substr(comma + 1);
}

}  // namespace

Section which_points(const SweepView& view, const SweepManifest& sweep, bool has_tables) {
  Figure figure{.answer = summary_of(view, sweep)};
  for (const SweepKey& key : view.keys) {
    figure.table.columns.push_back(key.short_name);
    figure.table.hints.push_back(key.name);
  }
  if (view.keys.empty()) figure.table.columns.emplace_back("point");
  if (view.has_repeats) figure.table.columns.emplace_back("seeds");
  figure.table.columns.insert(figure.table.columns.end(), {view.metric.words, "folder"});
  if (has_tables) figure.table.csv = "runs.csv";
  for (const SweepCell& cell : view.cells) {
    if (figure.table.rows.size() == most_sweep_rows) break;
    std::vector<TableCell> cells;
    for (std::size_t key = 0; key < view.keys.size(); ++key)
      cells.push_back(orrery::cell(view.value_of(cell, key)));
    if (view.keys.empty()) cells.push_back(orrery::cell(view.name));
    if (view.has_repeats)
      cells.push_back(cell_of_count(static_cast<std::int64_t>(cell.rows.size())));
    cells.push_back(cell_of_result(view, cell));
    const SweepRow& row = sweep.rows[cell.rows.front()];
    cells.push_back(orrery::cell(row.is_line ? "not kept" : short_name_of(row)));
    cells.back().link = row.page;
    figure.table.rows.push_back(std::move(cells));
  }
  if (view.cells.size() > most_sweep_rows)
    figure.note =
        fmt::format("The first {} of {} rows are shown; `orrery sweep collect` writes all.",
                    most_sweep_rows, view.cells.size());
  return {"points", "What was simulated?", {std::move(figure)}};
}

std::string sweep_page(const SweepManifest& sweep, const std::string& metric,
                       const std::string& against, bool has_tables) {
  if (std::ranges::count(sweep.rows, "ok", &SweepRow::status) == 0)
    throw IoError(fmt::format("no point of {} is done: run it first", sweep.name));
  const SweepView view = view_of(sweep, metric);
  std::vector<Section> sections{how_it_depends(view), which_two_interact(view),
                                what_matters_most(view), what_to_choose(view, sweep, against),
                                which_points(view, sweep, has_tables)};
  std::erase_if(sections, [](const Section& section) { return section.figures.empty(); });
  return html_page(sweep.name, sections);
}

}  // namespace orrery
