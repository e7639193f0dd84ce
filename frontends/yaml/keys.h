// The keys of one map, as a description (describe_*.h) declares them. Reader and SchemaWriter are
// what descriptions are for; a description is compiled once and knows neither.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/yaml/callable_reference.h"
#include "frontends/yaml/field.h"
#include "frontends/yaml/scalar_types.h"
#include "network/network_spec.h"

namespace orrery::yaml {

class Reader;

class Keys {
 public:
  using Describe = CallableReference<Keys&>;

  // T is a type that a Field can have.
  template <class T>
  void required(std::string_view key, T& value, std::string_view help, Limits limits = any_value) {
    required_field(key, FieldOf<T>(value), help, limits);
  }

  // Without the key, `value` stays as it is; `origin` says where that comes from.
  template <class T>
  void optional(std::string_view key, T& value, std::string_view help, Limits limits = any_value,
                const std::string& origin = "") {
    optional_field(key, FieldOf<T>(value), help, limits, origin);
  }

  // One of a table of named settings, whose values are the defaults of what follows.
  template <class Preset>
  void preset(std::span<const Preset> table, const Preset*& chosen, std::string_view help) {
    std::vector<std::string_view> names;
    for (const Preset& entry : table) names.push_back(entry.name);
    if (const std::optional<std::size_t> index = preset_of(names, help)) chosen = &table[*index];
  }

  // Required, unless a preset is given.
  template <class T>
  void from_preset(std::string_view key, T& value, std::string_view help,
                   Limits limits = any_value) {
    preset_field(key, FieldOf<T>(value), help, limits);
  }

  // A map of keys of its own. Without the key, it is read as an empty one.
  void map(std::string_view key, std::string_view help, Describe describe) {
    add_map(key, help, {}, describe);
  }
  // The same of a map that a name may stand for: named_sections.h has made a map of that already.
  void named_map(std::string_view key, std::string_view help, Describe describe) {
    add_map(key, help, {.may_be_a_name = true}, describe);
  }
  // The same, or the word `none`, which input_files.h has made an empty map. Its keys have values
  // that the preset beside it does not give.
  void map_or_none(std::string_view key, std::string_view help, Describe describe) {
    add_map(key, help, {.may_be_none = true}, describe);
  }
  void required_map(std::string_view key, std::string_view help, Describe describe) {
    add_map(key, help, {.is_required = true}, describe);
  }
  void required_named_map(std::string_view key, std::string_view help, Describe describe) {
    add_map(key, help, {.is_required = true, .may_be_a_name = true}, describe);
  }
  // Without the key, nothing is read.
  void optional_map(std::string_view key, std::string_view help, Describe describe) {
    add_map(key, help, {.is_optional = true}, describe);
  }
  void optional_named_map(std::string_view key, std::string_view help, Describe describe) {
    add_map(key, help, {.is_optional = true, .may_be_a_name = true}, describe);
  }
  // Of a map that a list of sizes may stand for, or "16x16".
  void optional_sized_map(std::string_view key, std::string_view help, Describe describe) {
    add_map(key, help, {.is_optional = true, .may_be_sizes = true}, describe);
  }
  // A map that may come from a file: input_files.h merges that before it is read.
  void section(std::string_view key, std::string_view help, Describe describe) {
    add_map(key, help, {.may_be_a_file = true}, describe);
  }
  void required_section(std::string_view key, std::string_view help, Describe describe) {
    add_map(key, help, {.is_required = true, .may_be_a_file = true}, describe);
  }
  // A value, or in its place a map of keys of its own.
  template <class T>
  void value_or_map(std::string_view key, T& value, std::string_view help, Describe describe) {
    field_or_map(key, FieldOf<T>(value), help, describe);
  }

  // A list of maps: describe(keys, element, index) for each.
  template <class T, class DescribeElement>
  void items(std::string_view key, std::vector<T>& values, std::string_view help,
             const DescribeElement& describe) {
    add_items(key, values, help, describe, true);
  }
  // The same of a list that may be absent.
  template <class T, class DescribeElement>
  void optional_items(std::string_view key, std::vector<T>& values, std::string_view help,
                      const DescribeElement& describe) {
    add_items(key, values, help, describe, false);
  }
  // A list of maps that may be long. Elements are not kept: describe(keys) for each. Of each, the
  // keys that it has are recorded, without the defaults.
  virtual void written_items(std::string_view key, std::string_view help, Describe describe) = 0;

  // One of these keys, and not two.
  void exactly_one(const std::vector<std::string_view>& keys, std::string_view help) {
    exactly_one_but(keys, {}, help);
  }
  // The same. A file may have one of `beside` together with another key, into which it has been
  // moved before the keys are read, or in place of all of them.
  virtual void exactly_one_but(const std::vector<std::string_view>& keys,
                               const std::vector<std::string_view>& beside,
                               std::string_view help) = 0;

  // `key` has a meaning only beside one of `owners`.
  virtual void only_with(const std::vector<std::string_view>& owners, std::string_view key) = 0;

  // Adds the path of `key` to `noted`, if the key is there.
  virtual void note_if_given(std::string_view key, std::vector<GivenSetting>& noted,
                             SettingGroup group) = 0;

  virtual bool given(std::string_view key) const = 0;

  // What a single key does not show. Only while reading: a schema has nothing to check.
  virtual void check(CallableReference<Reader&> check) = 0;

 protected:
  // A list of maps. `resize` it, describe an element, or any element.
  struct Elements {
    CallableReference<std::size_t> resize;
    CallableReference<Keys&, std::size_t> describe;
    Describe describe_any;
  };

  // What may stand for a map, and whether its key must be there. Without a key that is neither
  // required nor optional, an empty map is read.
  struct MapForm {
    bool is_required = false;
    bool is_optional = false;
    bool may_be_a_name = false;
    bool may_be_sizes = false;
    bool may_be_a_file = false;
    bool may_be_none = false;
  };

  Keys() = default;
  ~Keys() = default;

  virtual void add_map(std::string_view key, std::string_view help, const MapForm& form,
                       Describe describe) = 0;

  virtual void required_field(std::string_view key, const Field& field, std::string_view help,
                              const Limits& limits) = 0;
  virtual void optional_field(std::string_view key, const Field& field, std::string_view help,
                              const Limits& limits, const std::string& origin) = 0;
  virtual void preset_field(std::string_view key, const Field& field, std::string_view help,
                            const Limits& limits) = 0;
  // The index of the name that is given.
  virtual std::optional<std::size_t> preset_of(const std::vector<std::string_view>& names,
                                               std::string_view help) = 0;
  virtual void field_or_map(std::string_view key, const Field& field, std::string_view help,
                            Describe describe) = 0;
  virtual void list_of_maps(std::string_view key, std::string_view help, const Elements& elements,
                            bool is_required) = 0;

 private:
  template <class T, class DescribeElement>
  void add_items(std::string_view key, std::vector<T>& values, std::string_view help,
                 const DescribeElement& describe, bool is_required) {
    const auto resize = [&](std::size_t size) { values.resize(size); };
    const auto describe_one = [&](Keys& keys, std::size_t index) {
      describe(keys, values[index], index);
    };
    const auto describe_any = [&](Keys& keys) {
      T element{};
      describe(keys, element, std::size_t{0});
    };
    list_of_maps(key, help, {resize, describe_one, describe_any}, is_required);
  }
};

}  // namespace orrery::yaml
