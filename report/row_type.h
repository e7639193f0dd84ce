// How the rows of a result are declared (simulation/columns.h), whatever their type is. JSON, CSV,
// the tables of the text report and the schemas are made from this, so a declaration is compiled
// once (row_types.cc). A row is passed as `const void*`: to what belongs to its own type only.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "report/cell.h"
#include "simulation/columns.h"

namespace orrery {

// Rows of one type, one after the other in memory.
struct RowSpan {
  const void* first = nullptr;
  std::size_t count = 0;
  std::size_t row_size = 0;                      // bytes
  std::shared_ptr<const void> holder = nullptr;  // of rows that were made to be shown

  const void* operator[](std::size_t index) const {
    return static_cast<const std::byte*>(first) + index * row_size;
  }
  RowSpan first_rows(std::size_t most) const {
    return {first, count < most ? count : most, row_size, holder};
  }
};

template <class Row>
RowSpan span_of(std::span<const Row> rows) {
  return {rows.data(), rows.size(), sizeof(Row)};
}

class RowType;

// One value of a row.
struct RowColumn {
  const char* name;
  const char* help;
  Heading csv, text;
  bool json, null_if_empty, omit_if_none;
  const char* text_without;
  bool is_compared;  // depends on all rows that are compared
  bool may_have_none;
  Cell example;  // of its type
  std::function<Cell(const void* row, const RowSpan& all)> value;
  std::function<bool(const void* row)> has_text;  // empty: always

  std::string_view heading(Heading RowColumn::*form) const {
    const char* own = (this->*form).name;
    return *own == '\0' ? name : own;
  }
};

// A list of rows below a row.
struct RowList {
  const char* name;
  const char* help;
  bool json, omit_if_empty, keyed, busiest_only;
  const char* csv_file;
  const RowType& (*type)();
  std::function<RowSpan(const void* row)> rows;
  std::function<bool(const void* row)> has_csv;  // empty: always
};

// One row below a row.
struct RowPart {
  const char* name;
  const char* help;
  bool omit_if_none, may_have_none;
  bool in_csv;  // its columns are columns of the row's table
  const RowType& (*type)() = nullptr;
  std::function<const void*(const void* row)> part = nullptr;  // returns nullptr if there is none
};

class RowType {
 public:
  using Entry = std::variant<RowColumn, RowList, RowPart>;

  explicit RowType(std::vector<Entry> entries);

  // In the order of the declaration.
  const std::vector<Entry>& entries() const { return entries_; }
  // With those of parts that have their columns in the row's table.
  const std::vector<RowColumn>& columns() const { return columns_; }

  // Those of a table, in its order. REQUIRES: this outlives what is returned.
  std::vector<const RowColumn*> in(Heading RowColumn::*form) const;

 private:
  std::vector<Entry> entries_;
  std::vector<RowColumn> columns_;
};

// Defined in row_types.cc for the rows that are named there, and for all rows below them.
template <class Row>
const RowType& row_type_of();

}  // namespace orrery
