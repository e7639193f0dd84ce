#include "frontends/report/collective_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/check.h"
#include "frontends/collectives/measured_times.h"
#include "frontends/report/csv_report.h"
#include "frontends/report/provenance_json.h"
#include "simulation/collective_operations.h"

namespace orrery {

namespace {

using Rows = std::span<const CollectiveRow>;
using Json = nlohmann::ordered_json;

double bus_bandwidth_of(const CollectiveRow& row) {
  return bus_bandwidth(row.operation, row.ranks, row.size, row.time);
}

std::optional<double> error_of(const CollectiveRow& row) {
  if (!row.measured) return std::nullopt;
  return relative_error(row.time, *row.measured);
}

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

// --- Text: widths and precision are those of nccl-tests 2.x, so that its readers read this ---

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

std::string header(bool with_measured, bool with_chosen) {
  const auto line = [&](std::string_view size, std::string_view count, std::string_view type,
                        std::string_view redop, std::string_view root, std::string_view half,
                        std::string_view measured, std::string_view chosen) {
    return header_line(fmt::format("# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}{}{}{}", size, count, type,
                                   redop, root, half, half, with_measured ? measured : "") +
                       (with_chosen ? fmt::format("  {}", chosen) : ""));
  };
  return header_line(fmt::format("#{:51}{:>23}{:>31}{}", "", "out-of-place", "in-place",
                                 with_measured ? "                  measured" : "")) +
         line("size", "count", "type", "redop", "root", "     time   algbw   busbw  #wrong",
              "      time     error", "chosen") +
         line("(B)", "(elements)", "", "", "", "     (us)  (GB/s)  (GB/s)        ",
              "      (us)       (%)", "");
}

// Floats are counted, as nccl-tests does unless told otherwise.
std::string row_text(const CollectiveRow& row) {
  const CollectiveOperation* operation = find_operation(row.operation);
  CHECK(operation != nullptr, "{} is not an operation", row.operation);
  constexpr std::int64_t float_size = 4;
  const std::int64_t count =
      row.size.value / float_size / (operation->counts_per_rank ? row.ranks : 1);
  const std::string half =
      fmt::format("  {}  {:6.2f}  {:6.2f}  {:>6}", microseconds_text(row.time),
                  algorithm_bandwidth(row.size, row.time), bus_bandwidth_of(row), "N/A");
  std::string line = fmt::format("{:>12}  {:>12}  {:>8}  {:>6}  {:>6}{}{}", row.size.value, count,
                                 "float", operation->redop, -1, half, half);
  if (row.measured) {
    line +=
        fmt::format("  {:>8}  {:+8.1f}", microseconds_text(*row.measured), *error_of(row) * 100);
  }
  if (!row.chosen.empty()) line += "  " + row.chosen;
  return line + '\n';
}

std::string table_text(Rows rows, const std::string& backend) {
  const CollectiveSummary summary = summary_of(rows);
  const CollectiveRow& first = rows.front();
  std::string text = fmt::format("# {} on {}: {} ranks, algorithm {}, {} chunk{}, {} backend\n#\n",
                                 first.operation, first.system, first.ranks, first.algorithm,
                                 first.chunks == 1 ? "1" : fmt::format("up to {}", first.chunks),
                                 first.chunks == 1 ? "" : "s", backend);
  const bool with_chosen = std::any_of(
      rows.begin(), rows.end(), [](const CollectiveRow& row) { return !row.chosen.empty(); });
  text += header(summary.measured_rows > 0, with_chosen);
  for (const CollectiveRow& row : rows) text += row_text(row);
  text += fmt::format("# Avg bus bandwidth    : {:g}\n", summary.average_bus_bandwidth);
  if (summary.mean_absolute_error) {
    text += fmt::format("# Mean absolute error  : {:.1f} % of the measured time, over {} sizes\n",
                        *summary.mean_absolute_error * 100, summary.measured_rows);
  }
  return text;
}

// --- JSON ---

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json row_json(const CollectiveRow& row) {
  const Json measured = row.measured ? Json(row.measured->value) : Json(nullptr);
  return {{"system", row.system},
          {"op", row.operation},
          {"ranks", row.ranks},
          {"bytes", row.size.value},
          {"algorithm", row.algorithm},
          {"chunks", row.chunks},
          {"time_ps", row.time.value},
          {"algbw_GBps", algorithm_bandwidth(row.size, row.time)},
          {"busbw_GBps", bus_bandwidth_of(row)},
          {"measured_ps", measured},
          {"error", or_null(error_of(row))},
          {"chosen", row.chosen.empty() ? Json(nullptr) : Json(row.chosen)}};
}

}  // namespace

CollectiveSummary summary_of(std::span<const CollectiveRow> rows) {
  CollectiveSummary summary;
  summary.algorithm = rows.front().algorithm;
  double bandwidths = 0, errors = 0;
  for (const CollectiveRow& row : rows) {
    bandwidths += bus_bandwidth_of(row);
    const std::optional<double> error = error_of(row);
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
    text += table_text(table, result.backend);
  }
  return text;
}

std::string collective_json(const CollectiveResult& result) {
  Json rows = Json::array(), summaries = Json::array();
  for (const CollectiveRow& row : result.rows) rows.push_back(row_json(row));
  for (const Rows table : tables_of(result)) {
    const CollectiveSummary summary = summary_of(table);
    summaries.push_back({{"algorithm", summary.algorithm},
                         {"average_busbw_GBps", summary.average_bus_bandwidth},
                         {"mean_absolute_error", or_null(summary.mean_absolute_error)},
                         {"measured_rows", summary.measured_rows}});
  }
  const Json json = {{"schema", "orrery.coll/1"},
                     {"backend", result.backend},
                     {"rows", std::move(rows)},
                     {"summaries", std::move(summaries)},
                     {"provenance", provenance_json(result.provenance)},
                     {"host",
                      {{"wall_s", result.host.wall_s},
                       {"cpu_s", result.host.cpu_s},
                       {"peak_rss_bytes", result.host.peak_rss_bytes}}}};
  // A platform's name comes from the user; what is not UTF-8 in it must not lose the results.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string collective_csv(const CollectiveResult& result) {
  std::string csv =
      "system,op,ranks,bytes,algorithm,chunks,time_ps,algbw_GBps,busbw_GBps,measured_ps,error,"
      "chosen\n";
  for (const CollectiveRow& row : result.rows) {
    const std::optional<double> error = error_of(row);
    csv +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(row.system), row.operation,
                    row.ranks, row.size.value, row.algorithm, row.chunks, row.time.value,
                    algorithm_bandwidth(row.size, row.time), bus_bandwidth_of(row),
                    row.measured ? fmt::format("{}", row.measured->value) : "",
                    error ? fmt::format("{}", *error) : "", csv_field(row.chosen));
  }
  return csv;
}

}  // namespace orrery
