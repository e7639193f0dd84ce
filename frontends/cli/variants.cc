#include "frontends/cli/variants.h"

#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include "core/base/config_error.h"

namespace orrery::cli {

namespace {

constexpr std::size_t most_variants = 64;

[[noreturn]] void refuse(const std::string& option, std::string what, std::string remedy) {
  throw ConfigError(
      {.file = "--vary " + option, .what = std::move(what), .remedy = std::move(remedy)});
}

std::string trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> values_of(std::string_view text) {
  std::vector<std::string> values;
  std::size_t begin = 0;
  int depth = 0;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth <= 0) {
      values.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  values.push_back(trimmed(text.substr(begin)));
  return values;
}

// A word says what it is; a number needs its key: "buffer 64 MB".
std::string name_of(std::string_view key, const std::string& value) {
  const bool is_word = std::isalpha(static_cast<unsigned char>(value.front())) != 0;
  const bool is_switch = value == "true" || value == "false";
  if (is_word && !is_switch) return value;
  return fmt::format("{} {}", key.substr(key.rfind('.') + 1), value);
}

std::vector<Variant> alone(const std::string& option) {
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos || equals == 0)
    refuse(option, "this is not KEY=VALUE,VALUE", "write for example network.transport=tcp,roce");
  const std::string key = trimmed(std::string_view(option).substr(0, equals));
  std::vector<Variant> variants;
  for (const std::string& value : values_of(std::string_view(option).substr(equals + 1))) {
    if (value.empty())
      refuse(option, "a value is empty", "write values with a comma between each two");
    const std::string setting = fmt::format("{}={}", key, value);
    for (const Variant& other : variants)
      if (other.overrides.front().text == setting)
        refuse(option, fmt::format("{} is there twice", value), "write each value once");
    variants.push_back({{{setting, "--vary " + setting}}, name_of(key, value)});
  }
  return variants;
}

}  // namespace

std::vector<Variant> variants_of(const std::vector<std::string>& options) {
  std::vector<Variant> product(1);
  for (const std::string& option : options) {
    const std::vector<Variant> values = alone(option);
    if (product.size() * values.size() > most_variants)
      refuse(option,
             fmt::format("this makes {} systems, and {} are the most that are compared",
                         product.size() * values.size(), most_variants),
             "vary less, or write a sweep: docs/how-to/sweep.md");
    std::vector<Variant> longer;
    for (const Variant& begun : product)
      for (const Variant& value : values) {
        Variant& both = longer.emplace_back(begun);
        both.overrides.push_back(value.overrides.front());
        both.name += (both.name.empty() ? "" : ", ") + value.name;
      }
    product = std::move(longer);
  }
  return product;
}

}  // namespace orrery::cli
