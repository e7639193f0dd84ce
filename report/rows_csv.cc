#include "report/rows_csv.h"

namespace orrery {

std::vector<CsvColumn> declared_columns(const RowType& type) {
  std::vector<CsvColumn> columns;
  for (const RowColumn* column : type.in(&RowColumn::csv))
    columns.push_back(
        {std::string(column->heading(&RowColumn::csv)), column->help, unit_of(column->example)});
  return columns;
}

std::string csv_heading(const RowType& type) {
  std::string line;
  for (const RowColumn* column : type.in(&RowColumn::csv)) {
    if (!line.empty()) line += ',';
    line += column->heading(&RowColumn::csv);
  }
  return line + '\n';
}

void append_csv(std::string& csv, const RowType& type, const RowSpan& rows,
                const std::string& first, const RowSpan& all) {
  const std::vector<const RowColumn*> columns = type.in(&RowColumn::csv);
  for (std::size_t i = 0; i < rows.count; ++i) {
    csv += first;
    for (const RowColumn* column : columns)
      csv += csv_text(column->value(rows[i], all)) + (column == columns.back() ? '\n' : ',');
  }
}

}  // namespace orrery
