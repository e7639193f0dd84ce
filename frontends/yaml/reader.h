// Reads the keys of one map into C++ values, as a description (describe_*.h) names them: checks
// type and range, reports what is wrong with its position, and records each value with its origin.
//
// The other visitor of the same descriptions is SchemaWriter; both have the functions under "Keys".
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/spec_problem.h"
#include "frontends/input/input_texts.h"
#include "frontends/yaml/problems.h"
#include "frontends/yaml/scalar_types.h"
#include "frontends/yaml/yaml_node.h"
#include "simulation/experiment.h"

namespace orrery::yaml {

class Reader {
 public:
  // `place` is where a missing key is missed.
  Reader(Problems& problems, InputTexts& texts, std::vector<ResolvedValue>& resolved,
         const YamlNode& map, Place place, std::string path)
      : problems_(problems),
        texts_(texts),
        resolved_(resolved),
        map_(map),
        place_(place),
        path_(std::move(path)),
        problems_before_(problems.count()) {}

  // Reports unknown and missing keys: after the last key is described.
  void finish();

  // --- Keys. T is a type with a ScalarType, or a vector, optional or OneOrMore of one. ---

  template <class T>
  void required(std::string_view key, T& value, std::string_view help, Limits limits = any_value) {
    if (!read_key(key, value, help, limits)) missing_.push_back({key, std::string(help)});
  }

  // Without the key, `value` stays as it is; `origin` says where that comes from.
  template <class T>
  void optional(std::string_view key, T& value, std::string_view help, Limits limits = any_value,
                const std::string& origin = "") {
    if (read_key(key, value, help, limits)) return;
    record(key, text_of(value), origin.empty() ? default_origin_ : origin, help);
  }

  // One of a table of named settings, whose values are the defaults of what follows.
  template <class Preset>
  void preset(std::span<const Preset> table, const Preset*& chosen, std::string_view help) {
    std::vector<std::string_view> names;
    for (const Preset& entry : table) names.push_back(entry.name);
    std::string name;
    if (!read_key("preset", name, help, any_value) || name.empty()) return;
    for (const Preset& entry : table) {
      if (entry.name == name) chosen = &entry;
    }
    default_origin_ = "preset " + name;
    if (chosen == nullptr) unknown_preset(name, names);
  }

  // Required, unless a preset is given.
  template <class T>
  void from_preset(std::string_view key, T& value, std::string_view help,
                   Limits limits = any_value) {
    if (read_key(key, value, help, limits)) return;
    if (given("preset")) {
      record(key, text_of(value), default_origin_, help);
    } else {
      missing_.push_back({key, std::string(help) + " (or name a `preset`)"});
    }
  }

  // A map of keys of its own. Without the key, it is read as an empty one.
  template <class Describe>
  void map(std::string_view key, std::string_view help, Describe describe) {
    read_map(key, help, describe, false);
  }
  // The same of a map that a name may stand for: named_sections.h has made a map of that already.
  template <class Describe>
  void named_map(std::string_view key, std::string_view help, Describe describe) {
    read_map(key, help, describe, false);
  }
  // The same, or the word `none`, which input_files.h has made an empty map. Its keys have values
  // that the preset beside it does not give.
  template <class Describe>
  void map_or_none(std::string_view key, std::string_view help, Describe describe) {
    const std::string origin = std::exchange(default_origin_, "default");
    read_map(key, help, describe, false);
    default_origin_ = origin;
  }
  template <class Describe>
  void required_map(std::string_view key, std::string_view help, Describe describe) {
    read_map(key, help, describe, true);
  }
  // Without the key, nothing is read.
  template <class Describe>
  void optional_map(std::string_view key, std::string_view help, Describe describe) {
    if (declare(key) != nullptr) read_map(key, help, describe, false);
  }
  // A value, or in its place a map of keys of its own.
  template <class T, class Describe>
  void value_or_map(std::string_view key, T& value, std::string_view help, Describe describe) {
    const YamlNode* node = declare(key);
    if (node != nullptr && node->kind == NodeKind::map)
      read_map(key, help, describe, false);
    else
      optional(key, value, help);
  }
  // The same for a map that may come from a file: input_files.h has merged that already.
  template <class Describe>
  void section(std::string_view key, std::string_view help, Describe describe) {
    read_map(key, help, describe, false);
  }
  template <class Describe>
  void required_section(std::string_view key, std::string_view help, Describe describe) {
    read_map(key, help, describe, true);
  }

  // A list of maps: describe(keys, element, index) for each.
  template <class T, class Describe>
  void items(std::string_view key, std::vector<T>& values, std::string_view help,
             Describe describe) {
    if (declare(key) == nullptr) return missing_.push_back({key, std::string(help)});
    optional_items(key, values, help, describe);
  }
  // The same of a list that may be absent.
  template <class T, class Describe>
  void optional_items(std::string_view key, std::vector<T>& values, std::string_view,
                      Describe describe) {
    const YamlNode* node = declare(key);
    if (node == nullptr) return;
    const std::string path = join_path(path_, key);
    if (!expect(*node, NodeKind::list, path)) return;
    values.resize(node->children.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const YamlNode& child = node->children[i];
      if (!expect(child, NodeKind::map, item_path(path, i))) continue;
      Reader keys(problems_, texts_, resolved_, child, child.place, item_path(path, i));
      describe(keys, values[i], i);
      keys.finish();
    }
  }

  // A key whose value has a form of its own: handle(node) if it is there.
  template <class Handle>
  void free_form(std::string_view key, Handle handle) {
    if (const YamlNode* node = declare(key)) handle(*node);
  }

  // One of these keys, and not two.
  void exactly_one(const std::vector<std::string_view>& keys, std::string_view help);

  // `key` has a meaning only beside one of `owners`.
  void only_with(const std::vector<std::string_view>& owners, std::string_view key);

  // Adds the path of `key` to `paths`, if the key is there.
  void note_if_given(std::string_view key, std::vector<GivenSetting>& noted, SettingGroup group);

  bool given(std::string_view key) const { return map_.find(key) != nullptr; }

  // What a single key does not show. Only while reading: a schema has nothing to check.
  template <class Check>
  void check(Check check) {
    check(*this);
  }

  // --- For checks ---

  bool clean() const { return problems_.count() == problems_before_ && missing_.empty(); }
  void wrong(std::string_view key, std::string what, std::string remedy);
  void wrong_item(std::string_view key, std::size_t index, std::string what, std::string remedy);
  void wrong_map(std::string what, std::string remedy);
  // What a rule says, at the place of its key; if that is not there, at what would hold it.
  void report(const SpecProblem& problem);
  void report(const SpecProblems& problems);
  // Those of keys that are there.
  void report_given(const SpecProblems& problems);
  void wrong_at(const Place& place, std::string path, std::string what, std::string remedy) {
    problems_.add(place, std::move(path), std::move(what), std::move(remedy));
  }
  void wrong_elsewhere(const ConfigError& error) {
    for (const Diagnostic& diagnostic : error.diagnostics()) problems_.add(diagnostic);
  }
  const YamlNode* find(std::string_view key) const { return map_.find(key); }

  // "exp.yaml:12", "--set", or the default's origin if the key is not there.
  std::string origin_of(std::string_view key) const;
  void record(std::string_view key, std::string text, std::string origin, std::string_view help);

  // The contents of a data file that `key` names. Its hash becomes part of the configuration.
  // Throws IoError.
  const std::string& contents(std::string_view key, const std::string& path);
  InputTexts& texts() { return texts_; }

 private:
  struct Missing {
    std::string_view key;
    std::string help;
  };

  const YamlNode* declare(std::string_view key);
  void unknown_preset(const std::string& name, const std::vector<std::string_view>& known);
  bool expect(const YamlNode& node, NodeKind kind, const std::string& path);

  // False if the key is not there. A wrong value is reported and counts as there.
  template <class T>
  bool read_key(std::string_view key, T& value, std::string_view help, Limits limits) {
    const YamlNode* node = declare(key);
    if (node == nullptr) return false;
    if (read(*node, join_path(path_, key), value, limits)) {
      record(key, text_of(value), origin_of(key), help);
    }
    return true;
  }

  template <class T>
  bool read(const YamlNode& node, const std::string& path, T& value, Limits limits) {
    if (!expect(node, NodeKind::scalar, path)) return false;
    FromText<T> parsed = ScalarType<T>::parse(node.text);
    if (const auto* wrong = std::get_if<WrongText>(&parsed)) {
      const bool limited = node.text.starts_with('-') ? limits.least != any_value.least
                                                      : limits.most != any_value.most;
      problems_.add(node.place, path, wrong->what,
                    wrong->out_of_range && limited ? range_text<T>(limits) : wrong->remedy);
      return false;
    }
    if (!is_within(std::get<T>(parsed), limits)) {
      problems_.add(node.place, path, in_quotes(node.text) + " is out of range",
                    range_text<T>(limits));
      return false;
    }
    value = std::get<T>(std::move(parsed));
    return true;
  }
  template <class T>
  bool read(const YamlNode& node, const std::string& path, std::optional<T>& value, Limits limits) {
    return read(node, path, value.emplace(), limits);  // one that is wrong was still meant
  }
  template <class T>
  bool read(const YamlNode& node, const std::string& path, std::vector<T>& values, Limits limits) {
    if (!expect(node, NodeKind::list, path)) return false;
    values.assign(node.children.size(), T{});
    bool good = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      good = read(node.children[i], item_path(path, i), values[i], limits) && good;
    }
    return good;
  }
  template <class T>
  bool read(const YamlNode& node, const std::string& path, OneOrMore<T>& list, Limits limits) {
    if (node.kind == NodeKind::list) return read(node, path, list.values, limits);
    list.values.assign(1, T{});
    return read(node, path, list.values[0], limits);
  }

  template <class Describe>
  void read_map(std::string_view key, std::string_view help, Describe describe, bool is_required) {
    const YamlNode* node = declare(key);
    const std::string path = join_path(path_, key);
    YamlNode empty;
    empty.kind = NodeKind::map;
    Place place = place_;
    if (node == nullptr) {
      if (is_required) return missing_.push_back({key, std::string(help)});
    } else {
      place = node->key_place;
      if (node->kind != NodeKind::null && !expect(*node, NodeKind::map, path)) return;
    }
    const bool has_keys = node != nullptr && node->kind == NodeKind::map;
    Reader keys(problems_, texts_, resolved_, has_keys ? *node : empty, place, path);
    keys.default_origin_ = default_origin_;
    describe(keys);
    keys.finish();
  }

  Problems& problems_;
  InputTexts& texts_;
  std::vector<ResolvedValue>& resolved_;
  const YamlNode& map_;
  Place place_;
  std::string path_;
  std::size_t problems_before_;
  std::string default_origin_ = "default";
  std::vector<std::string_view> declared_;
  std::vector<Missing> missing_;
};

}  // namespace orrery::yaml
