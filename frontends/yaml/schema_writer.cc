#include "frontends/yaml/schema_writer.h"

#include <algorithm>
#include <utility>

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

}  // namespace

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

void SchemaWriter::exactly_one(const std::vector<std::string_view>& keys, std::string_view) {
  for (const std::string_view key : keys) one_of_.push_back(requires_key(key));
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

Json SchemaWriter::scalar(const SchemaType& type, Limits limits) {
  Json result = Json::object();
  result["type"] = type.json_types.size() == 1 ? Json(type.json_types[0]) : Json(type.json_types);
  if (!type.names.empty()) result["enum"] = type.names;
  if (!type.pattern.empty()) result["pattern"] = type.pattern;
  const bool is_integer = type.json_types.size() == 1 && type.json_types[0] == "integer";
  if (is_integer && limits.least != any_value.least) result["minimum"] = limits.least;
  if (is_integer && limits.most != any_value.most) result["maximum"] = limits.most;
  if (type.is_part) result["minimum"] = 0, result["maximum"] = 1;
  return result;
}

}  // namespace orrery::yaml
