#include "report/result_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/suggestion.h"
#include "report/result_schema.h"

namespace orrery {

namespace {

using Json = nlohmann::ordered_json;
using Steps = std::span<const std::string>;

std::vector<std::string> steps_of(const std::string& path) {
  std::vector<std::string> steps;
  for (std::size_t begin = 0;;) {
    const std::size_t end = path.find('.', begin);
    steps.push_back(path.substr(begin, end - begin));
    if (end == std::string::npos) return steps;
    begin = end + 1;
  }
}

std::string dotted(Steps steps) { return fmt::format("{}", fmt::join(steps, ".")); }

// Names of rows may have dots, so that a name may take any number of steps. The shortest first.
// `follow(name, rest)` returns true to end.
template <class Follow>
bool any_split(Steps steps, const Follow& follow) {
  for (std::size_t taken = 1; taken < steps.size(); ++taken)
    if (follow(dotted(steps.first(taken)), steps.subspan(taken))) return true;
  return false;
}

bool is_of_type(const Json& schema, std::string_view type) {
  const auto found = schema.find("type");
  if (found == schema.end()) return false;
  if (found->is_array()) return std::ranges::find(*found, Json(type)) != found->end();
  return *found == type;
}

// Follows a path through the declarations, and keeps how far it came.
class DeclaredPath {
 public:
  // The declaration of the number, or nullptr.
  const Json* find(const Json& schema, Steps steps) {
    if (steps.empty()) {
      if (is_of_type(schema, "integer") || is_of_type(schema, "number")) return &schema;
      const bool is_table = schema.contains("items");
      keep(steps, is_table ? "a row and a column must follow" : "it is no number",
           is_table ? schema["items"] : schema);
      return nullptr;
    }
    if (is_of_type(schema, "array")) {
      const Json* leaf = nullptr;
      const bool any = any_split(steps, [&](const std::string&, Steps rest) {
        return (leaf = find(schema["items"], rest)) != nullptr;
      });
      if (!any && steps.size() == 1) keep({}, "a column must follow", schema["items"]);
      return leaf;
    }
    if (const auto values = schema.find("additionalProperties");
        values != schema.end() && values->is_object())
      return find(*values, {});
    const auto properties = schema.find("properties");
    if (properties == schema.end()) {
      keep(steps, "nothing is below it", schema);
      return nullptr;
    }
    if (const auto next = properties->find(steps.front()); next != properties->end())
      return find(*next, steps.subspan(1));
    keep(steps, fmt::format("there is no \"{}\"", steps.front()), schema);
    return nullptr;
  }

  // REQUIRES: nothing was found.
  ResultPathProblem problem(const std::string& path) const {
    return {fmt::format("no result has the number \"{}\": {}", path, what_), remedy_};
  }
  std::size_t steps_left() const { return steps_left_; }

 private:
  // Of several ways to read a path the one that comes furthest.
  void keep(Steps rest, std::string what, const Json& schema) {
    if (rest.size() >= steps_left_) return;
    steps_left_ = rest.size();
    what_ = std::move(what);
    std::vector<std::string_view> names;
    if (const auto properties = schema.find("properties"); properties != schema.end())
      for (const auto& [name, below] : properties->items()) names.push_back(name);
    remedy_ = names.empty()  ? "docs/reference/results.md lists them"
              : rest.empty() ? "add a column: " + listed(names)
                             : suggestion(rest.front(), names);
  }

  std::size_t steps_left_ = static_cast<std::size_t>(-1);
  std::string what_, remedy_;
};

struct Schemas {
  Json run = Json::parse(result_schema()), traffic = Json::parse(traffic_schema());
};
const Schemas& schemas() {
  static const Schemas all;
  return all;
}

const Json* declaration_of(const std::string& path) {
  const std::vector<std::string> steps = steps_of(path);
  DeclaredPath walk;
  if (const Json* found = walk.find(schemas().run, steps)) return found;
  return walk.find(schemas().traffic, steps);
}

// Whole numbers stay whole while they fit.
Json sum_of(const Json& one, const Json& other) {
  std::int64_t sum = 0;
  if (one.is_number_integer() && other.is_number_integer() &&
      !__builtin_add_overflow(one.get<std::int64_t>(), other.get<std::int64_t>(), &sum))
    return sum;
  return one.get<double>() + other.get<double>();
}

std::string name_of(const Json& row) {
  if (!row.is_object() || row.empty()) return "";
  const Json& first = row.front();
  return first.is_string() ? first.get<std::string>() : first.dump();
}

// Totals beyond 64 bits are texts. null if it is no number.
Json number_of(const Json& json) {
  if (json.is_number()) return json;
  if (!json.is_string()) return {};
  const auto& text = json.get_ref<const std::string&>();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? Json(number) : Json();
}

// null if there is none.
Json value_at(const Json& json, Steps steps) {
  if (steps.empty()) return number_of(json);
  if (json.is_object()) {
    if (const auto all = json.find(dotted(steps)); all != json.end()) return value_at(*all, {});
    const auto next = json.find(steps.front());
    return next == json.end() ? Json() : value_at(*next, steps.subspan(1));
  }
  Json sum;
  if (json.is_array())
    any_split(steps, [&](const std::string& name, Steps rest) {
      for (const Json& row : json)
        if (name_of(row) == name)
          if (const Json value = value_at(row, rest); !value.is_null())
            sum = sum.is_null() ? value : sum_of(sum, value);
      return !sum.is_null();
    });
  return sum;
}

}  // namespace

std::optional<ResultPathProblem> problem_of_path(const std::string& path) {
  const std::vector<std::string> steps = steps_of(path);
  DeclaredPath in_run, in_traffic;
  if (in_run.find(schemas().run, steps) || in_traffic.find(schemas().traffic, steps))
    return std::nullopt;
  return (in_traffic.steps_left() < in_run.steps_left() ? in_traffic : in_run).problem(path);
}

std::string unit_of_path(const std::string& path) {
  const Json* declaration = declaration_of(path);
  return declaration == nullptr ? "" : declaration->value("unit", "");
}

std::string description_of_path(const std::string& path) {
  const Json* declaration = declaration_of(path);
  return declaration == nullptr ? "" : declaration->value("description", "");
}

std::optional<std::string> number_at(const Json& result, const std::string& path) {
  const Json value = value_at(result, steps_of(path));
  if (value.is_null()) return std::nullopt;
  return value.dump();
}

std::string rows_of_table(const Json& result, const std::string& path) {
  constexpr std::size_t most = 8;
  const std::string name = steps_of(path).front();
  const auto table = result.find(name);
  if (table == result.end() || !table->is_array()) return "";
  std::vector<std::string> rows;
  for (const Json& row : *table)
    if (std::string one = name + '.' + name_of(row); std::ranges::find(rows, one) == rows.end())
      rows.push_back(std::move(one));
  const std::size_t more = rows.size() > most ? rows.size() - most : 0;
  rows.resize(rows.size() - more);
  return fmt::format("{}{}", fmt::join(rows, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace orrery
