#include "report/row_table.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace orrery {

TextTable table_of_rows(const RowType& type, const RowSpan& rows,
                        const std::optional<TimeUnit>& unit) {
  std::vector<const RowColumn*> columns = type.in(&RowColumn::text);
  // What no row has needs no column.
  std::erase_if(columns, [&](const RowColumn* column) {
    if (!column->may_have_none) return false;
    for (std::size_t i = 0; i < rows.count; ++i)
      if (!std::holds_alternative<std::monostate>(column->value(rows[i], {}))) return false;
    return true;
  });
  std::vector<TextTable::Column> headings;
  for (const RowColumn* column : columns) {
    const bool is_word = std::holds_alternative<std::string>(column->example) ||
                         std::holds_alternative<std::vector<std::int64_t>>(column->example);
    headings.push_back({std::string(column->heading(&RowColumn::text)),
                        is_word ? TextTable::Align::left : TextTable::Align::right});
  }
  TextTable table(std::move(headings));
  for (std::size_t i = 0; i < rows.count; ++i) {
    std::vector<std::string> cells;
    for (const RowColumn* column : columns) {
      const bool is_shown = !column->has_text || column->has_text(rows[i]);
      const Cell cell = is_shown ? column->value(rows[i], {}) : Cell();
      std::string text = table_text(cell, unit);
      const bool has_value =
          !std::holds_alternative<std::monostate>(cell) && !(text.empty() && column->null_if_empty);
      cells.push_back(has_value ? std::move(text) : column->text_without);
    }
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace orrery
