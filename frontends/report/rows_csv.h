// Rows as lines of CSV, with the columns that their declaration says (simulation/columns.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "frontends/report/columns_of.h"

namespace orrery {

struct CsvColumn {
  std::string name, help;
  std::string unit;  // "ps", "bytes" or ""
};

template <class Row>
std::vector<CsvColumn> declared_columns(const ColumnsOf<Row>& declared) {
  std::vector<CsvColumn> columns;
  for (const Column<Row>* column : declared.in(&Forms<Row>::csv))
    columns.push_back(
        {std::string(column->heading(&Forms<Row>::csv)), column->help, unit_of(column->example)});
  return columns;
}

// The names of the columns, with the line's end.
template <class Row>
std::string csv_heading(const ColumnsOf<Row>& declared) {
  std::string line;
  for (const Column<Row>* column : declared.in(&Forms<Row>::csv)) {
    if (!line.empty()) line += ',';
    line += column->heading(&Forms<Row>::csv);
  }
  return line + '\n';
}

// Each line begins with `first`.
template <class Row>
void append_csv(std::string& csv, const ColumnsOf<Row>& declared, std::span<const Row> rows,
                const std::string& first = "") {
  const auto columns = declared.in(&Forms<Row>::csv);
  for (const Row& row : rows) {
    csv += first;
    for (const Column<Row>* column : columns)
      csv += csv_text(column->value(row)) + (column == columns.back() ? '\n' : ',');
  }
}

}  // namespace orrery
