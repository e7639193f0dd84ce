#include "frontends/yaml/schema_writer.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

namespace orrery::yaml {

namespace {

using Json = SchemaWriter::Json;

Json requires_key(std::string_view key) { return {{"required", Json::array({key})}}; }

// `needs` are added to `shape`, those of maps below it to their shapes.
void add(Json& shape, const Json& needs) {
  for (const auto& [keyword, value] : needs.items()) {
    if (keyword != "properties") {
      shape[keyword] = value;
      continue;
    }
    for (const auto& [key, below] : value.items()) add(shape["properties"][key], below);
  }
}

Json json_of_scalar(const FieldType& type) {
  const SchemaType& scalar = type.scalar;
  Json result = Json::object();
  result["type"] =
      scalar.json_types.size() == 1 ? Json(scalar.json_types[0]) : Json(scalar.json_types);
  if (!scalar.names.empty()) result["enum"] = scalar.names;
  if (!scalar.pattern.empty()) result["pattern"] = scalar.pattern;
  const bool is_integer = scalar.json_types.size() == 1 && scalar.json_types[0] == "integer";
  if (is_integer && type.limits.least != any_value.least) result["minimum"] = type.limits.least;
  if (is_integer && type.limits.most != any_value.most) result["maximum"] = type.limits.most;
  if (scalar.is_part) result["minimum"] = 0, result["maximum"] = 1;
  if (!scalar.title.empty()) {
    // "bandwidth, such as 400 Gb/s, greater than 0"
    result["title"] = std::string(scalar.title) + (type.range.empty() ? "" : ", " + type.range);
  }
  return result;
}

Json json_of(const FieldType& type) {
  if (type.element.empty()) return json_of_scalar(type);
  const Json element = json_of(type.element.front());
  const Json list = {{"type", "array"}, {"minItems", 1}, {"items", element}};
  return type.may_be_single ? Json{{"anyOf", Json::array({element, list})}} : list;
}

// Null if there is none.
Json json_of(const DefaultValue& standard) {
  return std::visit(
      [](const auto& value) -> Json {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<Value, std::vector<DefaultValue>>) {
          Json list = Json::array();
          for (const DefaultValue& element : value) list.push_back(json_of(element));
          return list;
        } else {
          return value;
        }
      },
      standard.value);
}

}  // namespace

void SchemaWriter::required_field(std::string_view key, const Field& field, std::string_view help,
                                  const Limits& limits) {
  property(key, json_of(field.type(limits)), help);
  require(key);
}

void SchemaWriter::optional_field(std::string_view key, const Field& field, std::string_view help,
                                  const Limits& limits, const std::string&) {
  Json type = json_of(field.type(limits));
  const DefaultValue standard = field.default_value();
  if (standard.is_there()) type["default"] = json_of(standard);
  property(key, std::move(type), help);
}

void SchemaWriter::preset_field(std::string_view key, const Field& field, std::string_view help,
                                const Limits& limits) {
  property(key, json_of(field.type(limits)), help);
  required_without_preset_.push_back(key);
}

std::optional<std::size_t> SchemaWriter::preset_of(const std::vector<std::string_view>& names,
                                                   std::string_view help) {
  property("preset", {{"type", "string"}, {"enum", names}}, help);
  return {};
}

void SchemaWriter::add_map(std::string_view key, std::string_view help, const MapForm& form,
                           Describe describe) {
  SchemaWriter keys(files_);
  describe(keys);
  if (form.may_be_none) {
    const Json none = {{"type", "string"}, {"title", "none, or the name of a preset"}};
    property(key, {{"anyOf", Json::array({none, keys.schema()})}}, help);
    return;
  }
  Json map = keys.shape(form.may_be_a_file);
  if (form.may_be_a_file || form.may_be_a_name) map["type"] = {"object", "string"};
  // Of the others a name may stand for the map: of a platform, a backend, a model.
  if (key == "system") map["pattern"] = R"(/|\.(json|ya?ml)$)";
  if (form.may_be_sizes) map["type"] = {"object", "array", "string"};
  property(key, std::move(map), help);
  add_needs(key, keys.needs(), form.may_be_a_file);
  if (form.is_required) require(key);
}

void SchemaWriter::field_or_map(std::string_view key, const Field& field, std::string_view help,
                                Describe describe) {
  SchemaWriter keys(files_);
  describe(keys);
  Json map = files_ == Files::give_none ? keys.schema() : keys.shape();
  property(key, {{"anyOf", Json::array({json_of(field.type(any_value)), std::move(map)})}}, help);
}

void SchemaWriter::list_of_maps(std::string_view key, std::string_view help,
                                const Elements& elements, bool is_required) {
  list(key, help, elements.describe_any, is_required ? 1 : 0);
  if (is_required) require(key);
}

void SchemaWriter::written_items(std::string_view key, std::string_view help, Describe describe) {
  list(key, help, describe, 1);
  require(key);
}

void SchemaWriter::list(std::string_view key, std::string_view help, Describe describe, int least) {
  SchemaWriter keys(files_);
  describe(keys);
  property(key, {{"type", "array"}, {"minItems", least}, {"items", keys.schema()}}, help);
}

Json SchemaWriter::shape(bool may_be_a_file) const {
  Json result = {{"type", "object"}, {"properties", properties_}, {"additionalProperties", false}};
  if (may_be_a_file) {
    result["properties"]["file"] = {
        {"type", "string"},
        {"description",
         "a YAML file with these keys or with the section that they make, or the name of a bundled "
         "platform; keys beside it replace the file's"}};
  }
  return result;
}

Json SchemaWriter::needs() const {
  Json result = Json::object();
  if (!required_.empty()) result["required"] = required_;
  if (!one_of_.empty()) result["oneOf"] = one_of_;
  if (!required_without_preset_.empty()) {
    result["anyOf"] =
        Json::array({requires_key("preset"), {{"required", Json(required_without_preset_)}}});
  }
  if (!depends_.empty()) result["dependentSchemas"] = depends_;
  if (!needs_below_.empty()) result["properties"] = needs_below_;
  return result;
}

Json SchemaWriter::schema() const {
  Json result = shape();
  add(result, needs());
  return result;
}

void SchemaWriter::add_needs(std::string_view key, Json needs, bool may_be_a_file) {
  if (needs.empty()) return;
  if (may_be_a_file && files_ == Files::give_keys)
    needs = {{"anyOf", Json::array({requires_key("file"), std::move(needs)})}};
  needs_below_[std::string(key)] = std::move(needs);
}

void SchemaWriter::exactly_one_but(const std::vector<std::string_view>& keys,
                                   const std::vector<std::string_view>& beside, std::string_view) {
  Json others = Json::array();
  for (const std::string_view key : keys)
    if (std::ranges::find(beside, key) == beside.end()) others.push_back(requires_key(key));
  one_of_.insert(one_of_.end(), others.begin(), others.end());
  for (const std::string_view key : beside) {
    Json alone = requires_key(key);
    alone["not"] = {{"anyOf", others}};
    one_of_.push_back(std::move(alone));
  }
}

void SchemaWriter::only_with(const std::vector<std::string_view>& owners, std::string_view key) {
  Json any = Json::array();
  for (const std::string_view owner : owners) any.push_back(requires_key(owner));
  depends_[std::string(key)] = {{"anyOf", any}};
}

void SchemaWriter::property(std::string_view key, Json type, std::string_view help) {
  type["description"] = help;
  properties_[std::string(key)] = std::move(type);
}

void SchemaWriter::require(std::string_view key) {
  const bool is_choice = std::any_of(one_of_.begin(), one_of_.end(), [&](const Json& choice) {
    return choice == requires_key(key);
  });
  if (!is_choice) required_.push_back(key);
}

}  // namespace orrery::yaml
