#include "core/base/quoted.h"

#include <algorithm>

namespace orrery {

std::size_t character_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(at);
  if (first < 0x80) {
    const bool control = first < 0x20 && first != '\t' && first != '\n' && first != '\r';
    return control || first == 0x7f ? 0 : 1;
  }
  const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

std::string printable(std::string_view text, std::size_t at_most) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(1, character_length(text, at));
    if (result.size() + length > at_most) break;
    result += character_length(text, at) == 0 ? "?" : text.substr(at, length);
    at += length;
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t shown_at_most = 60;
  std::string shown = printable(text, shown_at_most);
  std::replace(shown.begin(), shown.end(), '\n', ' ');
  return '"' + shown + (shown.size() < text.size() ? "...\"" : "\"");
}

}  // namespace orrery
