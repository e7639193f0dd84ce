#include "formats/input/comma_lines.h"

#include <string_view>

namespace orrery {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view spaces = " \t\r";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

}  // namespace

bool CommaLines::next() {
  for (std::string line; std::getline(stream_, line);) {
    ++number_;
    const std::string_view values = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (values.empty()) continue;
    cells_.clear();
    std::istringstream cells{std::string(values)};
    for (std::string cell; std::getline(cells, cell, ',');) cells_.emplace_back(trimmed(cell));
    return true;
  }
  return false;
}

}  // namespace orrery
