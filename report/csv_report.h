// Results as tables for spreadsheets and data frames. The columns are a contract,
// docs/reference/results.md; they are declared with the rows (simulation/columns.h). The first one
// is always `system`, so that tables of several runs can be put below each other. RFC 4180 quoting,
// lines end in '\n'.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/derived.h"
#include "report/rows_csv.h"
#include "simulation/run_result.h"

namespace orrery {

std::string csv_field(std::string_view text);  // quoted if need be

struct CsvTable {
  std::string file;  // "layers.csv"
  std::string text;
};

// The tables that the results fill.
std::vector<CsvTable> csv_tables(std::span<const RunResult> results, const ReportOptions& options);

// One of them by its file, whether it has rows or not.
std::string csv_table(std::string_view file, std::span<const RunResult> results,
                      const ReportOptions& options = {});

// The files of all tables that a result can have.
std::vector<std::string> csv_files();

struct CsvDeclaration {
  std::string file, each;  // a row for each ...
  std::vector<CsvColumn> columns;
};
std::vector<CsvDeclaration> csv_declarations();

}  // namespace orrery
