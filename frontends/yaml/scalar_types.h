// The types of YAML values: words (word_types.h), numbers, quantities, ranks, and lists of these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/units/share.h"
#include "core/units/unit_text.h"
#include "core/units/units.h"
#include "frontends/yaml/scalar_type.h"
#include "frontends/yaml/word_types.h"
#include "network/topology/topology.h"
#include "system/operation_source.h"

namespace orrery::yaml {

// --- Numbers ---

// Decimal digits only: no 010, 1_000, 1e3, 0x10.
FromText<std::int64_t> parse_integer(const std::string& text);
FromText<std::uint64_t> parse_unsigned(const std::string& text);

template <>
struct ScalarType<std::int64_t> {
  static FromText<std::int64_t> parse(const std::string& text) { return parse_integer(text); }
  static std::string text(std::int64_t value) { return std::to_string(value); }
  static SchemaType schema() { return {{"integer"}}; }
};
template <>
struct ScalarType<std::int32_t> {
  static FromText<std::int32_t> parse(const std::string& text);
  static std::string text(std::int32_t value) { return std::to_string(value); }
  static SchemaType schema() { return {{"integer"}}; }
};
template <>
struct ScalarType<std::uint64_t> {
  static FromText<std::uint64_t> parse(const std::string& text) { return parse_unsigned(text); }
  static std::string text(std::uint64_t value) { return std::to_string(value); }
  static SchemaType schema() { return {{"integer"}}; }
};

// Decimal digits, a point, an exponent: 0.25, 1e-4. Of a factor also per cent: "150 %".
template <>
struct ScalarType<double> {
  static FromText<double> parse(const std::string& text);
  static std::string text(double value);
  static SchemaType schema() {
    return {.json_types = {"number", "string"},
            .pattern = R"(^\s*(\d*\.)?\d+([eE][+-]?\d+)?\s*%?\s*$)",
            .title = "number"};
  }
};

// normal, highest or a number
template <>
struct ScalarType<Priority> {
  static FromText<Priority> parse(const std::string& text);
  static std::string text(Priority value);
  static SchemaType schema() {
    return {.json_types = {"integer", "string"}, .title = "normal, highest or a whole number"};
  }
};

template <class T>
inline constexpr std::string_view title_of_quantity = "quantity with a unit";
template <>
inline constexpr std::string_view title_of_quantity<Duration> = "duration, such as 1.5 us";
template <>
inline constexpr std::string_view title_of_quantity<Bytes> = "size, such as 64 MiB";
template <>
inline constexpr std::string_view title_of_quantity<Bandwidth> = "bandwidth, such as 400 Gb/s";
template <>
inline constexpr std::string_view title_of_quantity<FlopRate> = "rate, such as 312 TFLOP/s";

template <class Tag>
struct ScalarType<Quantity<Tag>> {
  static FromText<Quantity<Tag>> parse(const std::string& text);
  static std::string text(Quantity<Tag> value) { return exact_text(value); }
  static SchemaType schema() {
    return {.json_types = {"string"},
            .pattern = R"(^\s*[0-9.]+([eE][+-]?[0-9]+)?\s*[A-Za-z/]+\s*$)",
            .title = title_of_quantity<Quantity<Tag>>};
  }
};
template <>
FromText<Duration> ScalarType<Duration>::parse(const std::string& text);
template <>
FromText<Bytes> ScalarType<Bytes>::parse(const std::string& text);
template <>
FromText<Bandwidth> ScalarType<Bandwidth>::parse(const std::string& text);
template <>
FromText<FlopRate> ScalarType<FlopRate>::parse(const std::string& text);

// A size with a unit, or a whole number of bytes: tools of networks write "4096".
FromText<Bytes> parse_size(const std::string& text);

// A part of a whole: "15.2 %", 0.152 or "20/132" (share_text.h). As a number, at most 1.
template <>
struct ScalarType<Share> {
  static FromText<Share> parse(const std::string& text);
  static std::string text(Share value);
  static SchemaType schema() {
    return {.json_types = {"string", "number"},
            .pattern = R"(^\s*(\d+\s*/\s*\d+|(\d*\.)?\d+([eE][+-]?\d+)?\s*%?)\s*$)",
            .is_part = true,
            .title = "share, such as 15.2 %, 0.152 or 20/132"};
  }
};
template <>
struct ScalarType<Fraction> {
  static FromText<Fraction> parse(const std::string& text);
  static std::string text(Fraction value);
  static SchemaType schema() { return ScalarType<Share>::schema(); }
};

// A size that is shown only if it is given.
struct SizeIfGiven {
  Bytes bytes;
};
template <>
struct ScalarType<SizeIfGiven> {
  static FromText<SizeIfGiven> parse(const std::string& text);
  static std::string text(const SizeIfGiven& value) {
    return value.bytes == Bytes{} ? "" : ScalarType<Bytes>::text(value.bytes);
  }
  static SchemaType schema() { return ScalarType<Bytes>::schema(); }
};

// --- Ranks and levels ---

// "0-3,5": what a `ranks:` names, as inclusive runs.
struct RankRuns {
  std::vector<std::pair<Rank, Rank>> runs;
};
template <>
struct ScalarType<RankRuns> {
  static FromText<RankRuns> parse(const std::string& text);
  static std::string text(const RankRuns& value);
  static SchemaType schema() {
    return {.json_types = {"integer", "string"},
            .pattern = R"(^\s*\d+((-|\.\.)\d+)?(\s*,\s*\d+((-|\.\.)\d+)?)*\s*$)",
            .title = "ranks, such as 0-3,5"};
  }
};

// A level of the platform, by its index or its name.
struct LevelReference {
  std::string text;
};
template <>
struct ScalarType<LevelReference> {
  static FromText<LevelReference> parse(const std::string& text) { return LevelReference{text}; }
  static std::string text(const LevelReference& value) { return value.text; }
  static SchemaType schema() {
    return {.json_types = {"integer", "string"}, .title = "level, by name or index"};
  }
};

// --- Lists, and values that may be absent ---

// A list, for which a single value stands for a list of one.
template <class T>
struct OneOrMore {
  std::vector<T> values;
};

// As `explain` shows a value; "" if there is none.
template <class T>
std::string text_of(const T& value) {
  return ScalarType<T>::text(value);
}
template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : "none";
}
template <class T>
std::string text_of(const std::vector<T>& values) {
  if (values.empty()) return "";
  std::string text;
  for (const T& value : values) text += (text.empty() ? "[" : ", ") + text_of(value);
  return text + ']';
}
template <class T>
std::string text_of(const OneOrMore<T>& list) {
  return list.values.size() == 1 ? text_of(list.values[0]) : text_of(list.values);
}

// --- Range ---

template <class T>
bool is_within(const T& value, const Limits& limits) {
  if constexpr (std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>) {
    return limits.least <= value && value <= limits.most;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (limits.least == 1 && limits.most == Limits().most) return value > 0;  // `positive`
    return static_cast<double>(limits.least) <= value && value <= static_cast<double>(limits.most);
  } else if constexpr (requires { value.value; }) {
    return limits.least <= value.value && value.value <= limits.most;
  }
  return true;
}

// What to write instead of a value outside `limits`.
template <class T>
std::string range_text(const Limits& limits) {
  const auto text = [](std::int64_t value) {
    if constexpr (requires(T quantity) { quantity.value; }) {
      return ScalarType<T>::text(T{value});
    } else {
      return std::to_string(value);
    }
  };
  const Limits none;
  if (limits.most != none.most && limits.least != none.least) {
    return "it must be from " + text(limits.least) + " to " + text(limits.most);
  }
  if (limits.most != none.most) return "it must be at most " + text(limits.most);
  if (limits.least == 1 && !std::is_integral_v<T>) return "it must be greater than 0";
  return "it must be at least " + text(limits.least);
}

}  // namespace orrery::yaml
