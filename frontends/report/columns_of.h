// The columns of a table, as the declaration of its rows says (simulation/columns.h).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "frontends/report/cell.h"
#include "frontends/report/text_table.h"
#include "simulation/columns.h"

namespace orrery {

template <class Row>
struct Column {
  const char* name;
  const char* help;
  Forms<Row> forms;
  Cell example;  // of its type
  std::function<Cell(const Row&)> value;

  std::string_view heading(Heading Forms<Row>::*form) const {
    const char* own = (forms.*form).name;
    return *own == '\0' ? name : own;
  }
};

template <class Row>
class ColumnsOf {
 public:
  // `all`: what values that compare are taken from. REQUIRES: it outlives this.
  explicit ColumnsOf(std::span<const Row> all = {}) : all_(all) { Row::describe(*this); }

  template <class Value>
  void column(const char* name, Value value, const char* help, const Forms<Row>& forms = {}) {
    using Type = std::remove_cvref_t<std::invoke_result_t<Value, const Row&>>;
    columns_.push_back({name, help, forms, example_cell<Type>(), [value](const Row& row) {
                          return cell_of<Type>(std::invoke(value, row));
                        }});
  }
  template <class Value>
  void compared(const char* name, Value value, const char* help, const Forms<Row>& forms = {}) {
    column(
        name, [value, all = all_](const Row& row) { return value(row, all); }, help, forms);
  }
  template <class Value>
  void rows(const char*, Value, const char*, const ListForms<Row>& = {}) {}
  template <class Part>
  void part(const char*, Part Row::*part, const char*, const PartForms<Row>& forms = {}) {
    if constexpr (!IsOptional<Part>::value) {
      if (!forms.in_csv) return;
      const ColumnsOf<Part> inside;
      for (const Column<Part>& column : inside.columns())
        columns_.push_back(
            {column.name,
             column.help,
             {.csv = column.forms.csv},
             column.example,
             [part, value = column.value](const Row& row) { return value(row.*part); }});
    }
  }

  const std::vector<Column<Row>>& columns() const { return columns_; }

  // In the order of the table. REQUIRES: this outlives what is returned.
  std::vector<const Column<Row>*> in(Heading Forms<Row>::*form) const {
    std::vector<const Column<Row>*> table, waiting;
    for (const Column<Row>& column : columns_) {
      if ((column.forms.*form).name == nullptr) continue;
      ((column.forms.*form).after == nullptr ? table : waiting).push_back(&column);
    }
    while (!waiting.empty()) {
      const auto placed = std::erase_if(
          waiting, [&](const Column<Row>* column) { return insert(table, column, form); });
      CHECK(placed > 0, "column {} follows a heading that is not there", waiting.front()->name);
    }
    return table;
  }

 private:
  static bool insert(std::vector<const Column<Row>*>& table, const Column<Row>* column,
                     Heading Forms<Row>::*form) {
    const std::string_view after = (column->forms.*form).after;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table[i]->heading(form) != after) continue;
      table.insert(table.begin() + static_cast<std::ptrdiff_t>(i) + 1, column);
      return true;
    }
    return false;
  }

  std::span<const Row> all_;
  std::vector<Column<Row>> columns_;
};

// The rows as a table of the text report: those columns that have a heading there.
template <class Rows>
TextTable table_of(const Rows& rows, const std::optional<TimeUnit>& unit = std::nullopt) {
  using Row = std::remove_cvref_t<std::ranges::range_reference_t<const Rows>>;
  const ColumnsOf<Row> declared;
  const auto columns = declared.in(&Forms<Row>::text);
  std::vector<TextTable::Column> headings;
  for (const Column<Row>* column : columns) {
    const bool is_word = std::holds_alternative<std::string>(column->example) ||
                         std::holds_alternative<std::vector<std::int64_t>>(column->example);
    headings.push_back({std::string(column->heading(&Forms<Row>::text)),
                        is_word ? TextTable::Align::left : TextTable::Align::right});
  }
  TextTable table(std::move(headings));
  for (const Row& row : rows) {
    std::vector<std::string> cells;
    for (const Column<Row>* column : columns) {
      const Forms<Row>& forms = column->forms;
      const Cell cell =
          forms.text_if == nullptr || forms.text_if(row) ? column->value(row) : Cell();
      std::string text = table_text(cell, unit);
      const bool has_value =
          !std::holds_alternative<std::monostate>(cell) && !(text.empty() && forms.null_if_empty);
      cells.push_back(has_value ? std::move(text) : forms.text_without);
    }
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace orrery
