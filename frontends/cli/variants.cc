#include "frontends/cli/variants.h"

#include <fmt/format.h>

#include <algorithm>
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

bool is_word(const std::string& value) {
  return std::isalpha(static_cast<unsigned char>(value.front())) != 0 && value != "true" &&
         value != "false";
}

std::vector<Variant> alone(const std::string& option) {
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos || equals == 0)
    refuse(option, "this is not KEY=VALUE,VALUE", "write for example network.transport=tcp,roce");
  const std::string key = trimmed(std::string_view(option).substr(0, equals));
  const std::vector<std::string> values = values_of(std::string_view(option).substr(equals + 1));
  if (std::ranges::any_of(values, &std::string::empty))
    refuse(option, "a value is empty", "write values with a comma between each two");
  // Words say what they are; numbers need their key: "buffer 64 MB".
  const std::string prefix =
      std::ranges::all_of(values, is_word) ? "" : key.substr(key.rfind('.') + 1) + ' ';
  std::vector<Variant> variants;
  for (const std::string& value : values) {
    const std::string setting = fmt::format("{}={}", key, value);
    for (const Variant& other : variants)
      if (other.overrides.front().text == setting)
        refuse(option, fmt::format("{} is there twice", value), "write each value once");
    variants.push_back({{{setting, "--vary " + setting}}, prefix + value});
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
