#include "report/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "core/units/unit_text.h"
#include "report/backend_text.h"
#include "report/csv_report.h"
#include "report/numbers.h"
#include "report/sweep_view.h"
#include "report/text_table.h"

namespace orrery {

namespace {

// Those that differ somewhere in the sweep, so that the table shows no column of equal words.
bool several_experiments(const std::vector<SweepRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const SweepRow& row) {
    return row.point.experiment != rows.front().point.experiment;
  });
}

// The values of a varied key as numbers, if all are quantities of type T, and the unit's name.
template <class T>
std::optional<std::vector<std::string>> numbers_of(const std::vector<std::string>& values,
                                                   Parsed<T> (*parse)(std::string_view)) {
  std::vector<std::string> numbers;
  for (const std::string& value : values) {
    const Parsed<T> parsed = parse(value);
    const T* quantity = std::get_if<T>(&parsed);
    if (quantity == nullptr) return std::nullopt;
    numbers.push_back(std::to_string(quantity->value));
  }
  return numbers;
}

struct VariedColumn {
  std::string heading;
  std::vector<std::string> values;  // of each row
};

// Sizes, times and rates as numbers, with the unit in the heading: scripts need not know units.
VariedColumn varied_column(const std::vector<SweepRow>& rows, std::size_t key) {
  VariedColumn column{rows.front().point.varied[key].key, {}};
  for (const SweepRow& row : rows) column.values.push_back(row.point.varied[key].value);
  const auto in = [&](auto parse, const char* unit) {
    if (auto numbers = numbers_of(column.values, parse))
      column = {column.heading + unit, *std::move(numbers)};
  };
  in(parse_bytes, "_bytes");
  in(parse_duration, "_ps");
  in(parse_bandwidth, "_bytes_per_s");
  in(parse_flop_rate, "_flops_per_s");
  return column;
}

std::vector<VariedColumn> varied_columns(const std::vector<SweepRow>& rows) {
  std::vector<VariedColumn> columns;
  for (std::size_t key = 0; !rows.empty() && key < rows.front().point.varied.size(); ++key)
    columns.push_back(varied_column(rows, key));
  return columns;
}

constexpr std::array host_columns{"wall_s", "cpu_s", "peak_rss_bytes"};

bool is_of_host(std::string_view column) {
  return std::ranges::find(host_columns, column) != host_columns.end();
}

std::vector<std::string> head_of(const std::vector<VariedColumn>& varied) {
  std::vector<std::string> columns{"experiment"};
  for (const VariedColumn& column : varied) columns.push_back(column.heading);
  return columns;
}

std::vector<std::string> point_of(const SweepRow& row, std::size_t i,
                                  const std::vector<VariedColumn>& varied) {
  std::vector<std::string> cells{row.point.experiment};
  for (const VariedColumn& column : varied) cells.push_back(column.values[i]);
  return cells;
}

std::span<const std::string> metrics_of(const std::vector<SweepRow>& rows) {
  if (rows.empty()) return {};
  return rows.front().metrics;
}

// Which of a row's `numbers` are columns.
std::vector<std::string> number_columns(const std::vector<SweepRow>& rows, bool has_host) {
  std::vector<std::string> names;
  for (const std::string_view name : sweep_numbers)
    if (has_host || !is_of_host(name)) names.emplace_back(name);
  if (std::ranges::any_of(rows, &SweepRow::has_flows)) {
    names.insert(names.end(), flow_numbers.begin(), flow_numbers.end());
    names.insert(names.end(), flow_times.begin(), flow_times.end());
  }
  for (const std::string& path : metrics_of(rows))
    if (std::ranges::find(names, path) == names.end()) names.push_back(path);
  return names;
}

SweepTable table_of(const std::vector<SweepRow>& rows, bool has_host) {
  const std::vector<VariedColumn> varied = varied_columns(rows);
  const std::vector<std::string> numbers = number_columns(rows, has_host);
  SweepTable table{"runs", head_of(varied), {}};
  table.columns.insert(table.columns.end(),
                       {"status", "system", "backend", "ignored", "fingerprint"});
  for (const auto& [name, time] : sweep_times) table.columns.emplace_back(name);
  table.columns.insert(table.columns.end(), numbers.begin(), numbers.end());
  table.columns.insert(table.columns.end(), {"inputs", "folder"});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SweepRow& row = rows[i];
    std::vector<std::string> cells = point_of(row, i, varied);
    cells.insert(cells.end(), {row.status, row.system, row.backend,
                               fmt::format("{}", fmt::join(row.ignored, "; ")), row.fingerprint});
    for (const auto& [name, time] : sweep_times) {
      const bool has_time = row.status == "ok" && (time == &SweepRow::finish || !row.has_flows);
      cells.push_back(has_time ? fmt::format("{}", (row.*time).value) : "");
    }
    for (const std::string& name : numbers) {
      const auto found = row.numbers.find(name);
      cells.push_back(found == row.numbers.end() ? "" : found->second);
    }
    cells.push_back(row.inputs);
    cells.push_back(has_host ? row.folder.string() : "points/" + row.folder.filename().string());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::vector<std::string> fields;
  fields.reserve(cells.size());
  for (const std::string& cell : cells) fields.push_back(csv_field(cell));
  return fmt::format("{}\n", fmt::join(fields, ","));
}

}  // namespace

std::string csv_of(const SweepTable& table) {
  std::string csv = csv_line(table.columns);
  for (const std::vector<std::string>& row : table.rows) csv += csv_line(row);
  return csv;
}

SweepTable runs_table(const std::vector<SweepRow>& rows) { return table_of(rows, false); }

SweepTable kinds_table(const std::vector<SweepRow>& rows) {
  const std::vector<VariedColumn> varied = varied_columns(rows);
  SweepTable table{"kinds", head_of(varied), {}};
  table.columns.insert(table.columns.end(), {"kind", "exposed_ps", "folder"});
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const auto& [kind, waited] : rows[i].exposed_by) {
      table.rows.push_back(point_of(rows[i], i, varied));
      table.rows.back().insert(
          table.rows.back().end(),
          {kind, fmt::format("{}", waited.value), "points/" + rows[i].folder.filename().string()});
    }
  return table;
}

std::string sweep_csv(const std::vector<SweepRow>& rows) { return csv_of(table_of(rows, true)); }

namespace {

// What the points marked with a star ignore: a line for each backend and what it ignores.
std::string ignored_by(const std::vector<SweepRow>& rows) {
  std::vector<const SweepRow*> kinds;
  const auto alike = [](const SweepRow& row) {
    return [&row](const SweepRow& other) {
      return row.backend == other.backend && row.ignored == other.ignored;
    };
  };
  std::string text;
  for (const SweepRow& row : rows) {
    const auto is_known = [&](const SweepRow* kind) { return alike(row)(*kind); };
    if (row.ignored.empty() || std::ranges::any_of(kinds, is_known)) continue;
    kinds.push_back(&row);
    const auto points = std::ranges::count_if(rows, alike(row));
    text +=
        "* " + ignored_text(row.backend, fmt::format(" in {} of {} points", points, rows.size()),
                            row.ignored);
  }
  return text;
}

// The keys; where they would fill the line, only the last word of those that it tells apart.
std::vector<std::string> headings_of(const std::vector<SweepSetting>& varied, std::size_t metrics) {
  const std::size_t room = metrics < 3 ? 60 - 20 * metrics : 0;  // of 100 columns: results take 40
  const auto last = [](const std::string& key) { return key.substr(key.rfind('.') + 1); };
  std::size_t width = 0;
  for (const SweepSetting& setting : varied) width += setting.key.size() + 2;
  std::vector<std::string> headings;
  for (const SweepSetting& setting : varied) {
    const auto alike = std::ranges::count_if(
        varied, [&](const SweepSetting& other) { return last(other.key) == last(setting.key); });
    headings.push_back(width > room && alike == 1 ? last(setting.key) : setting.key);
  }
  return headings;
}

// "-" where no flow was counted.
void add_flow_cells(std::vector<std::string>& cells, const SweepRow& row, const char* mark) {
  cells.push_back(row.numbers.at("counted"));
  const auto found = row.numbers.find("mean_ps");
  if (found == row.numbers.end()) {
    cells.insert(cells.end(), 5, "-");
    return;
  }
  cells.push_back(to_text(Duration{std::stoll(found->second)}));
  for (const char* key : {"slowdown_mean", "slowdown_p50", "slowdown_p95", "slowdown_p99"})
    cells.push_back(fmt::format("{:.2f}", std::stod(row.numbers.at(key))));
  cells.back() += mark;
}

TextTable table_with(const std::vector<TextTable::Column>& columns,
                     const std::vector<std::vector<std::string>>& rows) {
  TextTable table(columns);
  for (const std::vector<std::string>& row : rows) table.add_row(row);
  return table;
}

// Of a table that is wider than a line, paths of results are headings of several lines.
TextTable fitting_table(std::vector<TextTable::Column> columns,
                        const std::vector<std::vector<std::string>>& rows, std::size_t metrics) {
  TextTable table = table_with(columns, rows);
  if (table.width() <= TextTable::line_width) return table;
  for (std::size_t i = columns.size() - metrics; i < columns.size(); ++i) {
    std::string& heading = columns[i].heading;
    for (std::size_t dot = heading.find('.'); dot != std::string::npos;
         dot = heading.find('.', dot + 1))
      heading.insert(dot + 1, "\n");
  }
  return table_with(columns, rows);
}

}  // namespace

std::vector<std::string> empty_metrics(const std::vector<SweepRow>& rows) {
  std::vector<std::string> notices;
  const auto is_done = [](const SweepRow& row) { return row.status == "ok"; };
  const auto first = std::ranges::find_if(rows, is_done);
  if (first == rows.end()) return notices;
  for (const std::string& path : first->metrics) {
    const auto has_it = [&](const SweepRow& row) {
      const auto found = row.numbers.find(path);
      return is_done(row) && found != row.numbers.end() && !found->second.empty();
    };
    if (is_sweep_column(path) || std::ranges::any_of(rows, has_it)) continue;
    const auto known = first->rows_there.find(path);
    notices.push_back(fmt::format(
        "no point has the metric {}{}", path,
        known == first->rows_there.end() ? "" : fmt::format(": there are {}", known->second)));
  }
  return notices;
}

std::string sweep_text(const std::string& name, const std::vector<SweepRow>& rows) {
  using Align = TextTable::Align;
  std::vector<TextTable::Column> columns;
  const bool names = !rows.empty() && several_experiments(rows);
  if (names) columns.push_back({"experiment", Align::left});
  if (!rows.empty())
    for (const std::string& heading :
         headings_of(rows.front().point.varied, metrics_of(rows).size()))
      columns.push_back({heading, Align::right});
  const bool only_flows = !rows.empty() && std::ranges::all_of(rows, &SweepRow::has_flows);
  if (only_flows)
    for (const char* heading : {"counted", "mean time", "slowdown", "p50", "p95", "p99"})
      columns.push_back({heading, Align::right});
  else
    for (const char* heading : {"finish", "compute", "exposed", "x fastest"})
      columns.push_back({heading, Align::right});
  std::vector<SweepMetric> metrics;
  for (const std::string& path : metrics_of(rows)) metrics.push_back(metric_in(rows, path));
  for (const SweepMetric& metric : metrics) columns.push_back({metric.words, Align::right});

  const std::string ignored = ignored_by(rows);
  Duration fastest{std::numeric_limits<std::int64_t>::max()};
  for (const SweepRow& row : rows)
    if (row.status == "ok") fastest = std::min(fastest, row.finish);
  std::vector<std::vector<std::string>> lines;
  for (const SweepRow& row : rows) {
    std::vector<std::string>& cells = lines.emplace_back();
    if (names) cells.push_back(row.system.empty() ? row.point.experiment : row.system);
    for (const SweepSetting& setting : row.point.varied) cells.push_back(setting.value);
    const char* mark = ignored.empty() ? "" : row.ignored.empty() ? "  " : " *";
    if (row.status == "ok" && only_flows) {
      add_flow_cells(cells, row, mark);
    } else if (row.status == "ok") {
      for (const Duration time : {row.finish, row.compute, row.exposed})
        cells.push_back(to_text(time));
      cells.push_back(ratio(row.finish, fastest) + mark);
    } else {
      cells.push_back(row.status);
      cells.insert(cells.end(), only_flows ? 5 : 3, "-");
    }
    for (const SweepMetric& metric : metrics) {
      const std::optional<double> value = metric_of(row, metric.name);
      cells.push_back(value ? metric.text_of(*value) : "-");
    }
  }
  const auto done = std::count_if(rows.begin(), rows.end(),
                                  [](const SweepRow& row) { return row.status == "ok"; });
  return fmt::format("{}: {} of {} points\n{}\n{}", name, done, rows.size(), ignored,
                     fitting_table(columns, lines, metrics.size()).text());
}

}  // namespace orrery
