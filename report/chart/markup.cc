#include "report/chart/markup.h"

#include <cstdint>

namespace orrery {

namespace {

constexpr std::string_view unknown = "\xEF\xBF\xBD", ellipsis = "\xE2\x80\xA6";

// The length of the character that begins here, 0 if it is not UTF-8.
std::size_t length_of_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF5   ? 0
                             : first >= 0xF0 ? 4
                             : first >= 0xE0 ? 3
                             : first >= 0xC2 ? 2
                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Too long for what they say, halves of pairs of UTF-16, and beyond the last character.
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) >= 0xA0) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) >= 0x90) return 0;
  return length;
}

// U+0080..9F, U+200E, 200F, 202A..202E, 2028, 2029, 2066..2069, 061C, FFFE, FFFF.
bool is_unsafe(std::string_view character) {
  if (character.size() == 1) {
    const auto byte = static_cast<std::uint8_t>(character[0]);
    return (byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7F;
  }
  const auto last = static_cast<std::uint8_t>(character.back());
  if (character.starts_with("\xC2")) return last < 0xA0;
  if (character == "\xD8\x9C") return true;
  if (character.starts_with("\xE2\x80"))
    return last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE);
  if (character.starts_with("\xE2\x81")) return last >= 0xA6 && last <= 0xA9;
  return character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF";
}

std::string_view escape_of(char character) {
  switch (character) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return "";
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t length = length_of_character(text);
    const std::string_view character = text.substr(0, length);
    if (length == 0 || is_unsafe(character))
      safe += unknown;
    else if (const std::string_view escape = escape_of(character[0]); !escape.empty())
      safe += escape;
    else
      safe += character;
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return safe;
}

std::string shortened(std::string_view text, std::size_t most) {
  std::size_t end = 0, before_last = 0;
  for (std::size_t count = 0; end < text.size(); ++count) {
    if (count == most) return std::string(text.substr(0, before_last)) + std::string(ellipsis);
    before_last = end;
    const std::size_t length = length_of_character(text.substr(end));
    end += length == 0 ? 1 : length;
  }
  return std::string(text);
}

}  // namespace orrery
