#include "frontends/report/csv_report.h"

#include <algorithm>
#include <functional>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/report/columns_of.h"
#include "frontends/report/rows_csv.h"

namespace orrery {

namespace {

constexpr const char* summary_file = "summary.csv";

std::string summary(std::span<const RunResult> results) {
  const ColumnsOf<RunResult> declared(results);
  std::string csv = csv_heading(declared);
  append_csv(csv, declared, results);
  return csv;
}

// Visits the declaration of a result: the tables of its rows.
class Tables {
 public:
  // Of `only` the file of that name.
  Tables(std::span<const RunResult> results, const ReportOptions& options, std::string_view only)
      : results_(results), options_(options), only_(only) {
    RunResult::describe(*this);
  }

  template <class Value>
  void column(const char*, Value, const char*, const Forms<RunResult>& = {}) {}
  template <class Value>
  void compared(const char*, Value, const char*, const Forms<RunResult>& = {}) {}
  template <class Part>
  void part(const char*, Part, const char*, const PartForms<RunResult>& = {}) {}
  template <class Value>
  void rows(const char*, Value value, const char*, const ListForms<RunResult>& forms = {}) {
    if (forms.csv_file == nullptr || !wanted(forms)) return;
    using Rows = std::remove_cvref_t<std::invoke_result_t<Value, const RunResult&>>;
    using Row = std::ranges::range_value_t<Rows>;
    const ColumnsOf<Row> declared;
    CsvTable table{forms.csv_file, "system," + csv_heading(declared)};
    for (const RunResult& result : results_) {
      const Rows& rows = std::invoke(value, result);
      const std::size_t shown =
          forms.busiest_only ? shown_count(rows.size(), options_) : rows.size();
      append_csv(table.text, declared, std::span<const Row>(rows).first(shown),
                 csv_field(result.name) + ',');
    }
    tables_.push_back(std::move(table));
  }

  std::vector<CsvTable> take() && { return std::move(tables_); }

 private:
  bool wanted(const ListForms<RunResult>& forms) const {
    if (!only_.empty()) return only_ == forms.csv_file;
    return forms.csv_if == nullptr || std::ranges::any_of(results_, forms.csv_if);
  }

  std::span<const RunResult> results_;
  const ReportOptions& options_;
  std::string_view only_;
  std::vector<CsvTable> tables_;
};

// The same without any result.
class Declarations {
 public:
  Declarations() { RunResult::describe(*this); }

  template <class Value>
  void column(const char*, Value, const char*, const Forms<RunResult>& = {}) {}
  template <class Value>
  void compared(const char*, Value, const char*, const Forms<RunResult>& = {}) {}
  template <class Part>
  void part(const char*, Part, const char*, const PartForms<RunResult>& = {}) {}
  template <class Value>
  void rows(const char*, Value, const char* help, const ListForms<RunResult>& forms = {}) {
    if (forms.csv_file == nullptr) return;
    using Rows = std::remove_cvref_t<std::invoke_result_t<Value, const RunResult&>>;
    CsvDeclaration table{forms.csv_file, help, {{"system", "name of the experiment", ""}}};
    for (CsvColumn& column : declared_columns(ColumnsOf<std::ranges::range_value_t<Rows>>()))
      table.columns.push_back(std::move(column));
    all.push_back(std::move(table));
  }

  std::vector<CsvDeclaration> all{
      {summary_file, "system", declared_columns(ColumnsOf<RunResult>())}};
};

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::vector<CsvTable> csv_tables(std::span<const RunResult> results, const ReportOptions& options) {
  std::vector<CsvTable> tables = Tables(results, options, "").take();
  tables.insert(tables.begin(), {summary_file, summary(results)});
  return tables;
}

std::string csv_table(std::string_view file, std::span<const RunResult> results,
                      const ReportOptions& options) {
  if (file == summary_file) return summary(results);
  std::vector<CsvTable> tables = Tables(results, options, file).take();
  CHECK(tables.size() == 1, "{} tables are called {}", tables.size(), file);
  return std::move(tables.front().text);
}

std::vector<std::string> csv_files() {
  std::vector<std::string> files;
  for (const CsvDeclaration& table : csv_declarations()) files.push_back(table.file);
  return files;
}

std::vector<CsvDeclaration> csv_declarations() { return Declarations().all; }

}  // namespace orrery
