#include "report/csv_report.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/check.h"
#include "report/row_type.h"
#include "report/rows_csv.h"

namespace orrery {

namespace {

constexpr const char* summary_file = "summary.csv";

const RowType& results_type() { return row_type_of<RunResult>(); }

std::string summary(std::span<const RunResult> results) {
  std::string csv = csv_heading(results_type());
  const RowSpan all = span_of(results);
  append_csv(csv, results_type(), all, "", all);
  return csv;
}

// The lists of a result that are tables.
std::vector<const RowList*> tables() {
  std::vector<const RowList*> lists;
  for (const RowType::Entry& entry : results_type().entries())
    if (const auto* list = std::get_if<RowList>(&entry); list != nullptr && list->csv_file)
      lists.push_back(list);
  return lists;
}

bool is_filled(const RowList& list, std::span<const RunResult> results) {
  return !list.has_csv || std::ranges::any_of(results, [&](const RunResult& result) {
    return list.has_csv(&result);
  });
}

CsvTable table_of(const RowList& list, std::span<const RunResult> results,
                  const ReportOptions& options) {
  CsvTable table{list.csv_file, "system," + csv_heading(list.type())};
  for (const RunResult& result : results) {
    const RowSpan rows = list.rows(&result);
    const std::size_t shown = list.busiest_only ? shown_count(rows.count, options) : rows.count;
    append_csv(table.text, list.type(), rows.first_rows(shown), csv_field(result.name) + ',');
  }
  return table;
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::vector<CsvTable> csv_tables(std::span<const RunResult> results, const ReportOptions& options) {
  std::vector<CsvTable> written{{summary_file, summary(results)}};
  for (const RowList* list : tables())
    if (is_filled(*list, results)) written.push_back(table_of(*list, results, options));
  return written;
}

std::string csv_table(std::string_view file, std::span<const RunResult> results,
                      const ReportOptions& options) {
  if (file == summary_file) return summary(results);
  std::vector<const RowList*> named = tables();
  std::erase_if(named, [&](const RowList* list) { return list->csv_file != file; });
  CHECK(named.size() == 1, "{} tables are called {}", named.size(), file);
  return table_of(*named.front(), results, options).text;
}

std::vector<std::string> csv_files() {
  std::vector<std::string> files;
  for (const CsvDeclaration& table : csv_declarations()) files.push_back(table.file);
  return files;
}

std::vector<CsvDeclaration> csv_declarations() {
  std::vector<CsvDeclaration> all{{summary_file, "system", declared_columns(results_type())}};
  for (const RowList* list : tables()) {
    CsvDeclaration table{list->csv_file, list->help, {{"system", "name of the experiment", ""}}};
    for (CsvColumn& column : declared_columns(list->type()))
      table.columns.push_back(std::move(column));
    all.push_back(std::move(table));
  }
  return all;
}

}  // namespace orrery
