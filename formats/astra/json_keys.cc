#include "formats/astra/json_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/quoted.h"
#include "core/base/suggestion.h"
#include "formats/input/parsed_json.h"

namespace orrery::astra {

namespace {

int line_at(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, std::min(position, text.size()));
  return 1 + static_cast<int>(std::ranges::count(before, '\n'));
}

}  // namespace

JsonKeys::JsonKeys(const std::string& file, const std::string& text) : file_(file), text_(text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] != '{' && text[first] != '[')
    throw ConfigError({.file = file,
                       .line = line_at(text, first),
                       .what = "the file is not JSON",
                       .remedy = "write {\"key\": ...}, as ASTRA-sim 2 reads it: files of "
                                 "ASTRA-sim 1.0 have lines of \"key: value\" and are not read"});
  json_ = parsed_json(file, text, "the file");
  if (!json_.is_object())
    throw ConfigError(
        {.file = file, .what = "the file is a list", .remedy = "write {\"key\": ...}"});
}

std::vector<std::string> JsonKeys::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json_.items()) keys.push_back(key);
  return keys;
}

std::optional<double> JsonKeys::number(std::string_view key, double least, double most) {
  if (!has(key)) return std::nullopt;
  const nlohmann::json& value = at(key);
  if (value.is_number() && value.get<double>() >= least && value.get<double>() <= most)
    return value.get<double>();
  problem(key, shown(value) + fmt::format(" is no number from {} to {}", least, most),
          "write such a number");
  return std::nullopt;
}

std::optional<std::int64_t> JsonKeys::whole(std::string_view key, std::int64_t least,
                                            std::int64_t most) {
  if (!has(key)) return std::nullopt;
  const nlohmann::json& value = at(key);
  if (value.is_number()) {
    const double number = value.get<double>();
    // ASTRA-sim converts, 10.5 to 10: that much is not guessed.
    const bool fits = number >= static_cast<double>(least) && number <= static_cast<double>(most);
    if (fits && number == static_cast<double>(static_cast<std::int64_t>(number)))
      return static_cast<std::int64_t>(number);
  }
  problem(key, shown(value) + fmt::format(" is no whole number from {} to {}", least, most),
          "write such a number");
  return std::nullopt;
}

std::optional<std::string> JsonKeys::word(std::string_view key,
                                          std::span<const std::string_view> known) {
  if (!has(key)) return std::nullopt;
  const nlohmann::json& value = at(key);
  if (value.is_string() && std::ranges::find(known, value.get<std::string>()) != known.end())
    return value.get<std::string>();
  problem(key, shown(value) + " is unknown",
          suggestion(value.is_string() ? value.get<std::string>() : "", known));
  return std::nullopt;
}

std::vector<std::string> JsonKeys::words(std::string_view key) {
  std::vector<std::string> words;
  if (!has(key)) return words;
  const nlohmann::json& list = at(key);
  const bool is_list = list.is_array() && !list.empty() &&
                       std::ranges::all_of(list, [](const auto& one) { return one.is_string(); });
  if (!is_list)
    problem(key, shown(list) + " is no list of words", "write for example [\"ring\"]");
  else
    for (const nlohmann::json& one : list) words.push_back(one.get<std::string>());
  return words;
}

// The parser keeps no positions: the key in quotes is found by its text.
void JsonKeys::problem(std::string_view key, std::string what, std::string remedy) {
  const std::size_t found = text_.find(fmt::format("\"{}\"", key));
  problems_.push_back({.file = file_,
                       .line = found == std::string::npos ? 0 : line_at(text_, found),
                       .path = std::string(key),
                       .what = std::move(what),
                       .remedy = std::move(remedy)});
}

void JsonKeys::throw_if_any() {
  if (!problems_.empty()) throw ConfigError(std::move(problems_));
}

}  // namespace orrery::astra
