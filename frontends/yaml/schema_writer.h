// Writes what a description (describe_*.h) says as JSON Schema. The other use of it is Reader.
// keys.h says what the functions are.
//
// A schema has two parts. Its shape says which keys there are and what their values look like. Its
// needs say which keys must be there. They are apart because a section that names a `file:` needs
// nothing at any depth: the file may give it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/yaml/keys.h"

namespace orrery::yaml {

class SchemaWriter final : public Keys {
 public:
  using Json = nlohmann::ordered_json;

  enum class Files { give_keys, give_none };
  // Files::give_none: sections have their needs even where `file:` could give the keys.
  explicit SchemaWriter(Files files = Files::give_keys) : files_(files) {}

  // Of the map described so far. With `may_be_a_file` there is a key `file`, too.
  Json shape(bool may_be_a_file = false) const;
  Json needs() const;   // empty if there are none
  Json schema() const;  // both

  // A key whose value has a form of its own.
  void property(std::string_view key, Json type, std::string_view help);

  void written_items(std::string_view key, std::string_view help, Describe describe) override;
  void exactly_one_but(const std::vector<std::string_view>& keys,
                       const std::vector<std::string_view>& beside, std::string_view help) override;
  void only_with(const std::vector<std::string_view>& owners, std::string_view key) override;
  void note_if_given(std::string_view, std::vector<GivenSetting>&, SettingGroup) override {}
  bool given(std::string_view) const override { return true; }
  void check(CallableReference<Reader&>) override {}

 private:
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

  void list(std::string_view key, std::string_view help, Describe describe, int least);
  void add_needs(std::string_view key, Json needs, bool may_be_a_file);
  // A list of several is declared where it is a choice, too.
  void require(std::string_view key);

  Files files_;
  Json properties_ = Json::object();
  Json needs_below_ = Json::object();  // key -> the needs of its map
  Json required_ = Json::array();
  Json one_of_ = Json::array();    // each {"required": [key]}
  Json depends_ = Json::object();  // key -> schema that must hold beside it
  std::vector<std::string_view> required_without_preset_;
};

}  // namespace orrery::yaml
