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

// Words in lines of `width` characters, as far indented as the first; a word that is longer stands
// alone.
std::vector<std::string> broken(const std::string& cell, std::size_t width) {
  if (character_count(cell) <= width) return {cell};
  const std::string indent(std::min(cell.find_first_not_of(' '), cell.size()), ' ');
  std::vector<std::string> lines{indent};
  std::istringstream words(cell);
  for (std::string word; words >> word;) {
    if (lines.back().size() > indent.size() &&
        character_count(lines.back()) + 1 + character_count(word) > width)
      lines.push_back(indent);
    if (lines.back().size() > indent.size()) lines.back() += ' ';
    lines.back() += word;
  }
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

// The widest column of words, if that makes the table as narrow as a line.
void TextTable::narrow(std::vector<std::size_t>& widths) const {
  constexpr std::size_t least = 24;
  const std::size_t all = width();
  if (all <= line_width) return;
  std::size_t widest = columns_.size();
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].align == Align::left &&
        (widest == columns_.size() || widths[i] > widths[widest]))
      widest = i;
  if (widest == columns_.size() || widths[widest] < least + all - line_width) return;
  widths[widest] -= all - line_width;
}

std::size_t TextTable::width() const {
  std::size_t total = columns_.empty() ? 0 : gap * (columns_.size() - 1);
  for (const std::size_t width : widths()) total += width;
  return total;
}

std::string TextTable::text() const {
  std::vector<std::size_t> width = widths();
  narrow(width);
  std::string text;
  const auto append_line = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(width[i] - std::min(width[i], character_count(row[i])), ' ');
      if (i > 0) line += std::string(gap, ' ');
      line += columns_[i].align == Align::left ? row[i] + padding : padding + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  const auto append = [&](const std::vector<std::vector<std::string>>& rows) {
    for (const std::vector<std::string>& row : rows) {
      std::vector<std::vector<std::string>> lines(1, std::vector<std::string>(row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::vector<std::string> pieces = broken(row[i], width[i]);
        if (pieces.size() > lines.size())
          lines.resize(pieces.size(), std::vector<std::string>(row.size()));
        for (std::size_t k = 0; k < pieces.size(); ++k) lines[k][i] = pieces[k];
      }
      for (const std::vector<std::string>& line : lines) append_line(line);
    }
  };
  append(heading_rows());
  append(rows_);
  return text;
}

}  // namespace orrery
