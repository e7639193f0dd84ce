#include "report/collective_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/check.h"
#include "core/units/unit_text.h"
#include "report/backend_text.h"
#include "report/json_row.h"
#include "report/row_type.h"
#include "report/rows_csv.h"

namespace orrery {

namespace {

using Rows = std::span<const CollectiveRow>;

// The rows of each algorithm.
std::vector<Rows> tables_of(const CollectiveResult& result) {
  std::vector<Rows> tables;
  const Rows rows = result.rows;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && rows[end].algorithm == rows[begin].algorithm) ++end;
    tables.push_back(rows.subspan(begin, end - begin));
  }
  return tables;
}

// --- Text: columns and precision are those of nccl-tests 2.x, so that its readers read this; they
// are narrower, so that a line has 100 characters. What is chosen stands above the rows that it is
// chosen for, behind the # of a comment. ---

// Seven characters, the more digits the shorter the time.
std::string microseconds_text(Duration time) {
  const double microseconds_taken = static_cast<double>(time.value) * 1e-6;
  const int decimals = microseconds_taken >= 10'000 ? 0 : microseconds_taken >= 100 ? 1 : 2;
  return fmt::format("{:7.{}f}", microseconds_taken, decimals);
}

std::string header_line(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

// In place is the same as out of place, and is left out where there are measured times to show.
std::string header(bool measured) {
  const auto line = [&](std::string_view size, std::string_view count, std::string_view type,
                        std::string_view redop, std::string_view root, std::string_view half,
                        std::string_view beside) {
    return header_line(fmt::format("# {:>9} {:>10} {:>6} {:>5} {:>4}{}{}", size, count, type, redop,
                                   root, half, measured ? beside : half));
  };
  const std::string beside =
      measured ? fmt::format("{:>28}", "measured") : fmt::format("{:>30}", "in-place");
  return header_line(fmt::format("#{:39}{:>22}{}", "", "out-of-place", beside)) +
         line("size", "count", "type", "redop", "root", "     time  algbw  busbw #wrong",
              "      time     error") +
         line("(B)", "(elements)", "", "", "", "     (us) (GB/s) (GB/s)       ",
              "      (us)       (%)");
}

// Floats are counted, as nccl-tests does unless told otherwise.
std::string row_text(const CollectiveRow& row, bool measured) {
  const CollectiveOperation* operation = find_operation(row.operation);
  CHECK(operation != nullptr, "{} is not an operation", row.operation);
  constexpr std::int64_t float_size = 4;
  const std::int64_t count =
      row.size.value / float_size / (operation->counts_per_rank ? row.ranks : 1);
  const std::string half =
      fmt::format("  {} {:6.2f} {:6.2f} {:>6}", microseconds_text(row.time),
                  algorithm_bandwidth(row.size, row.time), row.bus_bandwidth(), "N/A");
  std::string line = fmt::format("{:>11} {:>10} {:>6} {:>5} {:>4}{}{}", row.size.value, count,
                                 "float", operation->redop, -1, half, measured ? "" : half);
  if (row.measured) {
    line += fmt::format("  {:>8}  {:+8.1f}", microseconds_text(*row.measured), *row.error() * 100);
  }
  return line + '\n';
}

std::string table_text(Rows rows, const CollectiveResult& result) {
  const CollectiveSummary summary = summary_of(rows);
  const CollectiveRow& first = rows.front();
  std::string text = fmt::format("# {} on {}: {} ranks, algorithm {}, {} chunk{}, {} backend\n",
                                 first.operation, first.system, first.ranks, first.algorithm,
                                 first.chunks == 1 ? "1" : fmt::format("up to {}", first.chunks),
                                 first.chunks == 1 ? "" : "s", result.backend);
  if (!result.backend_because.empty())
    text += fmt::format("# backend: {}, because {}\n", result.backend, result.backend_because);
  for (const std::string& ignored : result.ignored)
    text += fmt::format("# IGNORED by the {} backend: {}\n", result.backend, ignored);
  if (!result.protocols.because.empty())
    text += fmt::format("# {}", chosen_protocols(result.protocols));
  text += "#\n";
  const bool measured = summary.measured_rows > 0;
  text += header(measured);
  std::string chosen;
  for (const CollectiveRow& row : rows) {
    if (!row.chosen.empty() && row.chosen != chosen)
      text += fmt::format("# chosen: {}\n", row.chosen);
    chosen = row.chosen;
    if (row.missing && *row.carried > Bytes{})
      text += fmt::format("# not delivered: {} of {} ({:.3f} %)\n", to_text(*row.missing),
                          to_text(*row.carried),
                          100.0 * static_cast<double>(row.missing->value) /
                              static_cast<double>(row.carried->value));
    text += row_text(row, measured);
  }
  text += fmt::format("# Avg bus bandwidth    : {:g}\n", summary.average_bus_bandwidth);
  if (summary.mean_absolute_error) {
    text += fmt::format("# Mean absolute error  : {:.1f} % of the measured time, over {} sizes\n",
                        *summary.mean_absolute_error * 100, summary.measured_rows);
  }
  return text;
}

}  // namespace

CollectiveSummary summary_of(std::span<const CollectiveRow> rows) {
  CollectiveSummary summary;
  summary.algorithm = rows.front().algorithm;
  double bandwidths = 0, errors = 0;
  for (const CollectiveRow& row : rows) {
    bandwidths += row.bus_bandwidth();
    const std::optional<double> error = row.error();
    if (!error) continue;
    errors += std::abs(*error);
    ++summary.measured_rows;
  }
  summary.average_bus_bandwidth = bandwidths / static_cast<double>(rows.size());
  if (summary.measured_rows > 0) {
    summary.mean_absolute_error = errors / static_cast<double>(summary.measured_rows);
  }
  return summary;
}

std::string collective_text(const CollectiveResult& result) {
  std::string text;
  for (const Rows table : tables_of(result)) {
    if (!text.empty()) text += '\n';
    text += table_text(table, result);
  }
  return text;
}

std::vector<CollectiveSummary> CollectiveResult::summaries() const {
  std::vector<CollectiveSummary> all;
  for (const Rows table : tables_of(*this)) all.push_back(summary_of(table));
  return all;
}

std::string collective_json(const CollectiveResult& result) {
  // A platform's name comes from the user; what is not UTF-8 in it must not lose the results.
  using Json = nlohmann::ordered_json;
  return row_json(result, {}).dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string collective_csv(const CollectiveResult& result) {
  const RowType& type = row_type_of<CollectiveRow>();
  std::string csv = csv_heading(type);
  append_csv(csv, type, span_of<CollectiveRow>(result.rows));
  return csv;
}

}  // namespace orrery
