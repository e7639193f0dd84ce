// Writes what a description (describe_*.h) says as JSON Schema. The other visitor is Reader, which
// explains the functions.
//
// A schema has two parts. Its shape says which keys there are and what their values look like. Its
// needs say which keys must be there. They are apart because a section that names a `file:` needs
// nothing at any depth: the file may give it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "frontends/yaml/scalar_types.h"
#include "network/network_spec.h"

namespace orrery::yaml {

class SchemaWriter {
 public:
  using Json = nlohmann::ordered_json;

  enum class Files { give_keys, give_none };
  // Files::give_none: sections have their needs even where `file:` could give the keys.
  explicit SchemaWriter(Files files = Files::give_keys) : files_(files) {}

  // Of the map described so far. With `may_be_a_file` there is a key `file`, too.
  Json shape(bool may_be_a_file = false) const;
  Json needs() const;   // empty if there are none
  Json schema() const;  // both

  template <class T>
  void required(std::string_view key, T&, std::string_view help, Limits limits = any_value) {
    property(key, type_of(std::type_identity<T>{}, limits), help);
    require(key);
  }

  template <class T>
  void optional(std::string_view key, T& value, std::string_view help, Limits limits = any_value,
                const std::string& = "") {
    Json type = type_of(std::type_identity<T>{}, limits);
    if (Json text = default_of(value); !text.is_null()) type["default"] = std::move(text);
    property(key, std::move(type), help);
  }

  template <class Preset>
  void preset(std::span<const Preset> table, const Preset*&, std::string_view help) {
    Json names = Json::array();
    for (const Preset& entry : table) names.push_back(entry.name);
    property("preset", {{"type", "string"}, {"enum", names}}, help);
  }

  template <class T>
  void from_preset(std::string_view key, T&, std::string_view help, Limits limits = any_value) {
    property(key, type_of(std::type_identity<T>{}, limits), help);
    required_without_preset_.push_back(key);
  }

  template <class Describe>
  void map(std::string_view key, std::string_view help, Describe describe) {
    describe_map(key, help, describe, false);
  }
  template <class Describe>
  void map_without_preset(std::string_view key, std::string_view help, Describe describe) {
    map(key, help, describe);
  }
  template <class Describe>
  void required_map(std::string_view key, std::string_view help, Describe describe) {
    describe_map(key, help, describe, false);
    require(key);
  }
  template <class T, class Describe>
  void value_or_map(std::string_view key, T&, std::string_view help, Describe describe) {
    SchemaWriter keys(files_);
    describe(keys);
    const Json value = type_of(std::type_identity<T>{}, any_value);
    Json map = files_ == Files::give_none ? keys.schema() : keys.shape();
    property(key, {{"anyOf", Json::array({value, std::move(map)})}}, help);
  }
  template <class Describe>
  void optional_map(std::string_view key, std::string_view help, Describe describe) {
    describe_map(key, help, describe, false);
  }
  template <class Describe>
  void section(std::string_view key, std::string_view help, Describe describe) {
    describe_map(key, help, describe, true);
  }
  template <class Describe>
  void required_section(std::string_view key, std::string_view help, Describe describe) {
    describe_map(key, help, describe, true);
    require(key);
  }

  template <class T, class Describe>
  void items(std::string_view key, std::vector<T>& values, std::string_view help,
             Describe describe) {
    optional_items(key, values, help, describe);
    require(key);
  }
  template <class T, class Describe>
  void optional_items(std::string_view key, std::vector<T>&, std::string_view help,
                      Describe describe) {
    SchemaWriter keys(files_);
    T element{};
    describe(keys, element, std::size_t{0});
    property(key, {{"type", "array"}, {"minItems", 1}, {"items", keys.schema()}}, help);
  }

  // A key whose value has a form of its own.
  void property(std::string_view key, Json type, std::string_view help);

  // A list of several is declared where it is a choice, too.
  void require(std::string_view key);

  void exactly_one(const std::vector<std::string_view>& keys, std::string_view help);
  void only_with(const std::vector<std::string_view>& owners, std::string_view key);

  void note_if_given(std::string_view, std::vector<GivenSetting>&, SettingGroup) {}
  bool given(std::string_view) const { return true; }
  template <class Check>
  void check(Check) {}

 private:
  template <class T>
  static Json type_of(std::type_identity<T>, Limits limits) {
    const SchemaType type = ScalarType<T>::schema();
    Json result = scalar(type, limits);
    const bool is_limited = limits.least != any_value.least || limits.most != any_value.most;
    if (!type.title.empty()) {
      // "bandwidth, such as 400 Gb/s, greater than 0"
      result["title"] = std::string(type.title) + (is_limited ? ", " + range<T>(limits) : "");
    }
    return result;
  }
  // "from 1 to 6", "at least 1 KiB"
  template <class T>
  static std::string range(const Limits& limits) {
    constexpr std::string_view beginning = "it must be ";
    return range_text<T>(limits).substr(beginning.size());
  }
  template <class T>
  static Json type_of(std::type_identity<std::optional<T>>, Limits limits) {
    return type_of(std::type_identity<T>{}, limits);
  }
  template <class T>
  static Json type_of(std::type_identity<std::vector<T>>, Limits limits) {
    return {
        {"type", "array"}, {"minItems", 1}, {"items", type_of(std::type_identity<T>{}, limits)}};
  }
  template <class T>
  static Json type_of(std::type_identity<OneOrMore<T>>, Limits limits) {
    return {{"anyOf", Json::array({type_of(std::type_identity<T>{}, limits),
                                   type_of(std::type_identity<std::vector<T>>{}, limits)})}};
  }
  static Json scalar(const SchemaType& type, Limits limits);

  // The value in JSON; null if there is none, so that the key has no default.
  template <class T>
  static Json default_of(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) return value;
    const std::string text = text_of(value);
    return text.empty() ? Json(nullptr) : Json(text);
  }
  template <class T>
  static Json default_of(const std::optional<T>& value) {
    return value ? default_of(*value) : Json(nullptr);
  }
  template <class T>
  static Json default_of(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& value : values) list.push_back(default_of(value));
    return list.empty() ? Json(nullptr) : list;
  }
  template <class T>
  static Json default_of(const OneOrMore<T>& list) {
    return list.values.size() == 1 ? default_of(list.values[0]) : default_of(list.values);
  }

  template <class Describe>
  void describe_map(std::string_view key, std::string_view help, Describe describe,
                    bool may_be_a_file) {
    SchemaWriter keys(files_);
    describe(keys);
    property(key, keys.shape(may_be_a_file), help);
    add_needs(key, keys.needs(), may_be_a_file);
  }

  void add_needs(std::string_view key, Json needs, bool may_be_a_file);

  Files files_;
  Json properties_ = Json::object();
  Json needs_below_ = Json::object();  // key -> the needs of its map
  Json required_ = Json::array();
  Json one_of_ = Json::array();    // each {"required": [key]}
  Json depends_ = Json::object();  // key -> schema that must hold beside it
  std::vector<std::string_view> required_without_preset_;
};

}  // namespace orrery::yaml
