// The C++ value of a key, whatever its type: what readers and schemas need of it. The types are
// those with a ScalarType, and vectors, optionals and OneOrMore of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "formats/yaml/problems.h"
#include "formats/yaml/yaml_node.h"
#include "frontends/yaml/scalar_types.h"

namespace orrery::yaml {

// What values look like.
struct FieldType {
  SchemaType scalar;
  Limits limits;
  std::string range = {};               // "from 1 to 6", "at least 1 KiB"; "" without limits
  std::vector<FieldType> element = {};  // one: this is a list
  bool may_be_single = false;           // a list of one may stand without the list
};

// std::monostate: there is none.
struct DefaultValue {
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string,
               std::vector<DefaultValue>>
      value = {};
  bool is_there() const { return !std::holds_alternative<std::monostate>(value); }
};

// False: the node is of another kind, or an empty list, and that is reported.
bool expect(Problems& problems, const YamlNode& node, NodeKind kind, const std::string& path);
// What to write in the place of a wrong value: `remedy`, unless the key says more.
std::string remedy_of_scalar(const std::string& path, std::string remedy);

class Field {
 public:
  // False: what stands there is wrong, and that is reported.
  virtual bool read(Problems& problems, const YamlNode& node, const std::string& path,
                    const Limits& limits) const = 0;
  virtual std::string text() const = 0;  // as `explain` shows it; "" if there is none
  virtual FieldType type(const Limits& limits) const = 0;
  virtual DefaultValue default_value() const = 0;

 protected:
  ~Field() = default;
};

template <class T>
class FieldOf final : public Field {
 public:
  // REQUIRES: `value` outlives this.
  explicit FieldOf(T& value) : value_(value) {}

  bool read(Problems& problems, const YamlNode& node, const std::string& path,
            const Limits& limits) const override {
    return read(problems, node, path, limits, value_);
  }
  std::string text() const override { return text_of(value_); }
  FieldType type(const Limits& limits) const override {
    return type_of(std::type_identity<T>{}, limits);
  }
  DefaultValue default_value() const override { return default_of(value_); }

 private:
  template <class Scalar>
  static bool read(Problems& problems, const YamlNode& node, const std::string& path,
                   const Limits& limits, Scalar& value) {
    if (!expect(problems, node, NodeKind::scalar, path)) return false;
    std::optional<WrongText> wrong = set_from_text(node.text, limits, value);
    if (wrong)
      problems.add(node.place, path, std::move(wrong->what),
                   remedy_of_scalar(path, std::move(wrong->remedy)));
    return !wrong;
  }
  template <class Inner>
  static bool read(Problems& problems, const YamlNode& node, const std::string& path,
                   const Limits& limits, std::optional<Inner>& value) {
    // One that is wrong was still meant.
    return read(problems, node, path, limits, value.emplace());
  }
  template <class Element>
  static bool read(Problems& problems, const YamlNode& node, const std::string& path,
                   const Limits& limits, std::vector<Element>& values) {
    if (!expect(problems, node, NodeKind::list, path)) return false;
    values.assign(node.children.size(), Element{});
    bool good = true;
    for (std::size_t i = 0; i < values.size(); ++i)
      good = read(problems, node.children[i], item_path(path, i), limits, values[i]) && good;
    return good;
  }
  template <class Element>
  static bool read(Problems& problems, const YamlNode& node, const std::string& path,
                   const Limits& limits, OneOrMore<Element>& list) {
    if (node.kind == NodeKind::list) return read(problems, node, path, limits, list.values);
    list.values.assign(1, Element{});
    return read(problems, node, path, limits, list.values[0]);
  }

  template <class Scalar>
  static std::optional<WrongText> set_from_text(const std::string& text, const Limits& limits,
                                                Scalar& value) {
    FromText<Scalar> parsed = ScalarType<Scalar>::parse(text);
    if (auto* wrong = std::get_if<WrongText>(&parsed)) {
      const bool limited =
          text.starts_with('-') ? limits.least != any_value.least : limits.most != any_value.most;
      if (wrong->out_of_range && limited) wrong->remedy = range_text<Scalar>(limits);
      return std::move(*wrong);
    }
    if (!is_within(std::get<Scalar>(parsed), limits))
      return WrongText{in_quotes(text) + " is out of range", range_text<Scalar>(limits)};
    value = std::get<Scalar>(std::move(parsed));
    return std::nullopt;
  }

  template <class Scalar>
  static FieldType type_of(std::type_identity<Scalar>, const Limits& limits) {
    FieldType type{ScalarType<Scalar>::schema(), limits};
    constexpr std::string_view beginning = "it must be ";
    if (limits.least != any_value.least || limits.most != any_value.most)
      type.range = range_text<Scalar>(limits).substr(beginning.size());
    return type;
  }
  template <class Inner>
  static FieldType type_of(std::type_identity<std::optional<Inner>>, const Limits& limits) {
    return type_of(std::type_identity<Inner>{}, limits);
  }
  template <class Element>
  static FieldType type_of(std::type_identity<std::vector<Element>>, const Limits& limits) {
    FieldType list;
    list.element.push_back(type_of(std::type_identity<Element>{}, limits));
    return list;
  }
  template <class Element>
  static FieldType type_of(std::type_identity<OneOrMore<Element>>, const Limits& limits) {
    FieldType list = type_of(std::type_identity<std::vector<Element>>{}, limits);
    list.may_be_single = true;
    return list;
  }

  template <class Scalar>
  static DefaultValue default_of(const Scalar& value) {
    if constexpr (std::is_same_v<Scalar, std::int32_t>) {
      return {std::int64_t{value}};
    } else if constexpr (std::is_arithmetic_v<Scalar>) {
      return {value};
    } else {
      std::string text = text_of(value);
      return text.empty() ? DefaultValue{} : DefaultValue{std::move(text)};
    }
  }
  template <class Inner>
  static DefaultValue default_of(const std::optional<Inner>& value) {
    return value ? default_of(*value) : DefaultValue{};
  }
  template <class Element>
  static DefaultValue default_of(const std::vector<Element>& values) {
    std::vector<DefaultValue> list;
    for (const Element& value : values) list.push_back(default_of(value));
    return list.empty() ? DefaultValue{} : DefaultValue{std::move(list)};
  }
  template <class Element>
  static DefaultValue default_of(const OneOrMore<Element>& list) {
    return list.values.size() == 1 ? default_of(list.values[0]) : default_of(list.values);
  }

  T& value_;
};

}  // namespace orrery::yaml
