// Reads the keys of one map into C++ values, as a description (describe_*.h) names them: checks
// type and range, reports what is wrong with its position, and records each value with its origin.
//
// The other use of the same descriptions is SchemaWriter. keys.h says what the functions are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/spec_problem.h"
#include "formats/input/input_texts.h"
#include "formats/yaml/problems.h"
#include "formats/yaml/yaml_node.h"
#include "frontends/yaml/keys.h"
#include "simulation/experiment.h"

namespace orrery::yaml {

class Reader final : public Keys {
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

  void written_items(std::string_view key, std::string_view help, Describe describe) override;
  void exactly_one_but(const std::vector<std::string_view>& keys,
                       const std::vector<std::string_view>& beside, std::string_view help) override;
  void only_with(const std::vector<std::string_view>& owners, std::string_view key) override;
  void note_if_given(std::string_view key, std::vector<GivenSetting>& noted,
                     SettingGroup group) override;
  bool given(std::string_view key) const override { return map_.find(key) != nullptr; }
  void check(CallableReference<Reader&> check) override { check(*this); }

  // A key whose value has a form of its own: handle(node) if it is there.
  void free_form(std::string_view key, CallableReference<const YamlNode&> handle) {
    if (const YamlNode* node = declare(key)) handle(*node);
  }

  // --- For checks ---

  bool clean() const {
    return problems_.count() == problems_before_ && missing_.empty() && missing_choices_.empty();
  }
  void wrong(std::string_view key, std::string what, std::string remedy);
  void wrong_item(std::string_view key, std::size_t index, std::string what, std::string remedy);
  void wrong_map(std::string what, std::string remedy);
  // What a rule says, at the place of its key; if that is not there, at what would hold it.
  const std::string& path() const { return path_; }
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
  // What was recorded of this map as its preset's is a default where `describe` says the same of an
  // empty map; else source_of(its path in this map, the origin) may add where it is from.
  void tell_preset_from_defaults(Describe describe,
                                 CallableReference<std::string_view, std::string&> source_of);

  // The contents of a data file that `key`, a dotted path, names; nullptr if it cannot be read,
  // which is then a problem of the key. Its hash becomes part of the configuration.
  const std::string* contents(std::string_view key, const std::string& path);
  // The hash alone, after texts().open(path), of a file that need not fit into memory.
  void record_contents(std::string_view key, const std::string& path);
  InputTexts& texts() { return texts_; }

 private:
  struct Missing {
    std::string_view key;
    std::string help;
    bool is_in_presets = false;
  };
  struct MissingChoice {  // none of these keys is there
    std::vector<std::string_view> keys;
    std::string help;
  };
  void report_missing_preset();

  void add_map(std::string_view key, std::string_view help, const MapForm& form,
               Describe describe) override;
  void required_field(std::string_view key, const Field& field, std::string_view help,
                      const Limits& limits) override;
  void optional_field(std::string_view key, const Field& field, std::string_view help,
                      const Limits& limits, const std::string& origin) override;
  void preset_field(std::string_view key, const Field& field, std::string_view help,
                    const Limits& limits) override;
  std::optional<std::size_t> preset_of(const std::vector<std::string_view>& names,
                                       std::string_view help) override;
  void field_or_map(std::string_view key, const Field& field, std::string_view help,
                    Describe describe) override;
  void list_of_maps(std::string_view key, std::string_view help, const Elements& elements,
                    bool is_required) override;

  const YamlNode* declare(std::string_view key);
  void unknown_key(const YamlNode& child);
  void unknown_preset(const std::string& name, const std::vector<std::string_view>& known);
  // False if the key is not there. A wrong value is reported and counts as there.
  bool read_key(std::string_view key, const Field& field, std::string_view help,
                const Limits& limits);
  void read_elements(const YamlNode& list, const std::string& path, bool records_defaults,
                     CallableReference<Keys&, std::size_t> describe);

  Problems& problems_;
  InputTexts& texts_;
  std::vector<ResolvedValue>& resolved_;
  const YamlNode& map_;
  Place place_;
  std::string path_;
  std::size_t problems_before_;
  std::string default_origin_ = "default";
  bool records_defaults_ = true;
  std::vector<std::string_view> declared_;  // some several times
  std::vector<Missing> missing_;
  std::vector<MissingChoice> missing_choices_;
};

}  // namespace orrery::yaml
