#include "formats/input/parsed_json.h"

#include <fmt/format.h>

#include <charconv>
#include <istream>
#include <nlohmann/json.hpp>

#include "core/base/quoted.h"

namespace orrery {

namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 100;

// The number behind `key` in the parser's message.
int number_behind(std::string_view message, std::string_view key) {
  int number = 0;
  const std::size_t found = message.find(key);
  if (found == std::string_view::npos) return 0;
  const char* begin = message.data() + found + key.size();
  std::from_chars(begin, message.data() + message.size(), number);
  return number;
}

template <class Text>
Json parsed(const std::string& file, Text&& text, const std::string& what) {
  const auto limited = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepest)
      throw ConfigError({.file = file,
                         .what = fmt::format("{} is nested deeper than {} levels", what, kDeepest),
                         .remedy = "look for a bracket that is not closed"});
    return true;
  };
  try {
    return Json::parse(std::forward<Text>(text), limited);
  } catch (const Json::exception& error) {
    throw json_refusal(file, what, error.what());
  }
}

}  // namespace

// "[json.exception.parse_error.101] parse error at line 1, column 31: syntax error while parsing
// object key - unexpected end of input; expected string literal": its last part.
ConfigError json_refusal(const std::string& file, const std::string& what,
                         std::string_view message) {
  const int line = number_behind(message, "line "), column = number_behind(message, "column ");
  if (const std::size_t colon = message.find(": "); colon != std::string_view::npos)
    message.remove_prefix(colon + 2);
  constexpr std::size_t longest = 200;
  return ConfigError({.file = file,
                      .line = line,
                      .column = column,
                      .what = fmt::format("{} is not JSON: {}", what, printable(message, longest)),
                      .remedy = "write it again"});
}

Json parsed_json(const std::string& file, std::string_view text, const std::string& what) {
  return parsed(file, text, what);
}

Json parsed_json(const std::string& file, std::istream& text, const std::string& what) {
  return parsed(file, text, what);
}

std::optional<Json> inner_json(std::string_view text) {
  try {
    return parsed("", text, "");
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

std::string shown(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "a map";
  if (value.is_string()) return in_quotes(value.get<std::string>());
  return value.dump();
}

}  // namespace orrery
