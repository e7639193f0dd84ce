// Rows as lines of CSV, with the columns that their declaration says (simulation/columns.h).
#pragma once

#include <string>
#include <vector>

#include "report/row_type.h"

namespace orrery {

struct CsvColumn {
  std::string name, help;
  std::string unit;  // "ps", "bytes" or ""
};

std::vector<CsvColumn> declared_columns(const RowType& type);

// The names of the columns, with the line's end.
std::string csv_heading(const RowType& type);

// Each line begins with `first`. `all`: what values that compare are taken from.
void append_csv(std::string& csv, const RowType& type, const RowSpan& rows,
                const std::string& first = "", const RowSpan& all = {});

}  // namespace orrery
