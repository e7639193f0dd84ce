#include "report/text_table.h"

#include <algorithm>
#include <sstream>

#include "core/base/check.h"

namespace orrery {

namespace {

constexpr std::size_t gap = 2;

// Characters, not bytes: those of UTF-8 that continue one are not counted.
std::size_t character_count(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](unsigned char byte) { return (byte & 0xC0) != 0x80; }));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

void TextTable::add_row(std::vector<std::string> cells) {
  CHECK(cells.size() == columns_.size(), "{} cells for {} columns", cells.size(), columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::vector<std::string>> TextTable::heading_rows() const {
  std::vector<std::vector<std::string>> headings;
  std::size_t height = 0;
  for (const Column& column : columns_) {
    headings.push_back(lines_of(column.heading));
    height = std::max(height, headings.back().size());
  }
  std::vector<std::vector<std::string>> rows(height, std::vector<std::string>(columns_.size()));
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::vector<std::string>& lines = headings[column];
    lines.insert(lines.begin(), height - lines.size(), "");
    for (std::size_t row = 0; row < height; ++row) rows[row][column] = lines[row];
  }
  return rows;
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  const auto fit = [&](const std::vector<std::vector<std::string>>& rows) {
    for (const std::vector<std::string>& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        widths[i] = std::max(widths[i], character_count(row[i]));
      }
    }
  };
  fit(heading_rows());
  fit(rows_);
  return widths;
}

std::size_t TextTable::width() const {
  std::size_t total = columns_.empty() ? 0 : gap * (columns_.size() - 1);
  for (const std::size_t width : widths()) total += width;
  return total;
}

std::string TextTable::text() const {
  const std::vector<std::size_t> width = widths();
  std::string text;
  const auto append = [&](const std::vector<std::vector<std::string>>& rows) {
    for (const std::vector<std::string>& row : rows) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string padding(width[i] - character_count(row[i]), ' ');
        if (i > 0) line += std::string(gap, ' ');
        line += columns_[i].align == Align::left ? row[i] + padding : padding + row[i];
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + '\n';
    }
  };
  append(heading_rows());
  append(rows_);
  return text;
}

}  // namespace orrery
