#include "tests/report/schema/schema_problems.h"

#include <algorithm>
#include <regex>
#include <set>

namespace orrery::test {

namespace {

using Json = nlohmann::json;
using Problems = std::vector<std::string>;

bool is_of_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "integer") return value.is_number_integer();
  return type == "number" && value.is_number();
}

bool has_type(const Json& value, const Json& types) {
  if (types.is_string()) return is_of_type(value, types);
  return std::any_of(types.begin(), types.end(),
                     [&](const Json& type) { return is_of_type(value, type); });
}

class Checker {
 public:
  Checker(const Json& schema, const Json& value, const std::string& path)
      : schema_(schema), value_(value), path_(path) {
    static const std::set<std::string> annotations{"$schema",     "$id",  "title", "default",
                                                   "description", "unit", "csv"};
    for (const auto& [keyword, rule] : schema.items())
      if (!annotations.contains(keyword)) check(keyword, rule);
  }

  Problems problems;

 private:
  void check(const std::string& keyword, const Json& rule) {
    if (keyword == "type") {
      if (!has_type(value_, rule)) wrong("is no " + rule.dump());
    } else if (keyword == "enum") {
      if (std::find(rule.begin(), rule.end(), value_) == rule.end()) wrong("is not in the enum");
    } else if (keyword == "pattern") {
      if (value_.is_string() &&
          !std::regex_search(value_.get<std::string>(), std::regex(rule.get<std::string>())))
        wrong("does not match " + rule.get<std::string>());
    } else if (keyword == "minimum" || keyword == "maximum") {
      if (value_.is_number() && (keyword == "minimum" ? value_ < rule : value_ > rule))
        wrong("is beyond the " + keyword);
    } else if (keyword == "anyOf" || keyword == "oneOf") {
      check_choices(keyword, rule);
    } else if (keyword == "not") {
      if (schema_problems(rule, value_, path_).empty()) wrong("is what it must not be");
    } else if (keyword == "items" || keyword == "minItems") {
      if (value_.is_array()) check_list(keyword, rule);
    } else if (value_.is_object()) {
      check_object(keyword, rule);
    }
  }

  void check_choices(const std::string& keyword, const Json& choices) {
    std::size_t good = 0;
    Problems all;
    for (const Json& choice : choices) {
      const Problems found = schema_problems(choice, value_, path_);
      good += found.empty() ? 1 : 0;
      all.insert(all.end(), found.begin(), found.end());
    }
    if (good == 1 || (good > 1 && keyword == "anyOf")) return;
    wrong("is as " + std::to_string(good) + " choices of " + keyword + " say");
    problems.insert(problems.end(), all.begin(), all.end());
  }

  void check_list(const std::string& keyword, const Json& rule) {
    if (keyword == "minItems" && value_.size() < rule) wrong("has too few items");
    for (std::size_t i = 0; keyword == "items" && i < value_.size(); ++i)
      descend(rule, value_[i], '[' + std::to_string(i) + ']');
  }

  void check_object(const std::string& keyword, const Json& rule) {
    if (keyword == "properties") {
      for (const auto& [key, below] : rule.items())
        if (value_.contains(key)) descend(below, value_[key], '.' + key);
    } else if (keyword == "required") {
      for (const Json& key : rule)
        if (!value_.contains(key)) wrong("has no key " + key.get<std::string>());
    } else if (keyword == "additionalProperties") {
      for (const auto& [key, value] : value_.items())
        if (!schema_.contains("properties") || !schema_["properties"].contains(key)) {
          if (rule == false) wrong("may not have the key " + key);
          if (rule.is_object()) descend(rule, value, '.' + key);
        }
    } else if (keyword == "dependentSchemas") {
      for (const auto& [key, below] : rule.items())
        if (value_.contains(key)) descend(below, value_, "");
    } else if (keyword == "minProperties") {
      if (value_.size() < rule) wrong("has too few keys");
    } else if (keyword != "propertyNames") {
      wrong("is held against the unknown keyword " + keyword);
    }
  }

  void descend(const Json& schema, const Json& value, const std::string& step) {
    const Problems found = schema_problems(schema, value, path_ + step);
    problems.insert(problems.end(), found.begin(), found.end());
  }

  void wrong(const std::string& what) {
    problems.push_back(path_ + ": " + value_.dump().substr(0, 60) + ' ' + what);
  }

  const Json& schema_;
  const Json& value_;
  const std::string& path_;
};

}  // namespace

Problems schema_problems(const Json& schema, const Json& value, const std::string& path) {
  return Checker(schema, value, path).problems;
}

}  // namespace orrery::test
