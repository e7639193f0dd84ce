// Tables for a terminal: columns as wide as their widest cell, two spaces apart. A table that is
// wider than a line gets its widest column of words in several lines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace orrery {

class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string heading;  // several lines are separated by '\n'; short ones stand at the bottom
    Align align = Align::right;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add_row(std::vector<std::string> cells);  // REQUIRES: one cell for each column

  bool empty() const { return rows_.empty(); }
  static constexpr std::size_t line_width = 100;

  std::size_t width() const;  // in characters, of a table whose cells are not broken
  std::string text() const;   // the headings, unless all are empty, and the rows

 private:
  std::vector<std::vector<std::string>> heading_rows() const;
  std::vector<std::size_t> widths() const;
  void narrow(std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

inline constexpr TextTable::Align left_aligned = TextTable::Align::left;

}  // namespace orrery
