#include "report/wrapped_text.h"

#include <algorithm>

namespace orrery {

namespace {

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Where the first `width` characters end; the whole if there are no more.
std::size_t end_of(std::string_view line, std::size_t width) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (continues_character(line[i])) continue;
    if (characters++ == width) return i;
  }
  return line.size();
}

}  // namespace

std::string wrapped_lines(std::string_view line, std::size_t width, std::size_t indent) {
  std::string text, start;
  while (true) {
    const std::size_t room = width - std::min(width, start.size());
    const std::size_t end = end_of(line, room);
    const std::size_t begin = line.find_first_not_of(' ');
    std::size_t space = end == line.size() ? std::string_view::npos : line.rfind(' ', end);
    // "30.0 %" stays together.
    while (space != std::string_view::npos && space > 0 && line.substr(space).starts_with(" %"))
      space = line.rfind(' ', space - 1);
    // Better between two columns of a table than inside of one.
    const std::size_t gap = space == std::string_view::npos ? space : line.rfind("  ", end);
    if (gap != std::string_view::npos && gap > end / 3 && gap > begin) space = gap;
    // The indentation is no place to break, and a word that is too long ends at its end.
    if (end < line.size() && (space == std::string_view::npos || space <= begin))
      space = line.find(' ', std::max(end, begin));
    if (space == std::string_view::npos) return text.append(start).append(line) + '\n';
    std::string_view first = line.substr(0, space);
    first = first.substr(0, first.find_last_not_of(' ') + 1);
    text.append(start).append(first) += '\n';
    line = line.substr(std::min(line.find_first_not_of(' ', space), line.size()));
    if (line.empty()) return text;
    start.assign(indent, ' ');
  }
}

std::string wrapped_text(std::string_view text, std::size_t width,
                         std::optional<std::size_t> indent) {
  std::string wrapped;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    wrapped += wrapped_lines(line, width, indent.value_or(begin + 4));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return wrapped;
}

}  // namespace orrery
