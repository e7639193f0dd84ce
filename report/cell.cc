#include "report/cell.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/units/unit_text.h"
#include "report/csv_report.h"
#include "report/json_numbers.h"

namespace orrery {

namespace {

using Json = nlohmann::ordered_json;

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

template <class T>
std::string number_text(T number) {
  return fmt::format("{}", number);
}

Json type_named(const char* name) { return {{"type", name}}; }
Json integer_in(const char* unit) { return {{"type", "integer"}, {"unit", unit}}; }
Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

// A number, or a text of digits (json_numbers.h).
Json total_in(const char* unit) {
  return {{"type", Json::array({"integer", "string"})}, {"unit", unit}};
}

struct TypeSchema {
  Json operator()(std::monostate) const { return Json::object(); }
  Json operator()(bool) const { return type_named("boolean"); }
  Json operator()(std::int64_t) const { return type_named("integer"); }
  Json operator()(std::uint64_t) const { return type_named("integer"); }
  Json operator()(double) const { return type_named("number"); }
  Json operator()(Duration) const { return integer_in("ps"); }
  Json operator()(Bytes) const { return integer_in("bytes"); }
  Json operator()(TotalTime) const { return total_in("ps"); }
  Json operator()(TotalBytes) const { return total_in("bytes"); }
  Json operator()(const std::string&) const { return type_named("string"); }
  Json operator()(const std::vector<std::int64_t>&) const { return list_of(type_named("integer")); }
  Json operator()(const std::vector<std::string>&) const { return list_of(type_named("string")); }
  Json operator()(const std::vector<std::vector<std::int64_t>>&) const {
    return list_of(list_of(type_named("integer")));
  }
};

Json type_schema(const Cell& example) { return std::visit(TypeSchema(), example); }

}  // namespace

std::string csv_text(const Cell& cell) {
  return std::visit(
      Overloaded{[](std::monostate) { return std::string(); },
                 [](Duration time) { return number_text(time.value); },
                 [](Bytes size) { return number_text(size.value); },
                 [](TotalTime total) { return digits(total); },
                 [](TotalBytes total) { return digits(total); },
                 [](const std::string& text) { return csv_field(text); },
                 [](const std::vector<std::int64_t>& list) {
                   return fmt::format("{}", fmt::join(list, " "));
                 },
                 [](const std::vector<std::string>& list) {
                   return csv_field(fmt::format("{}", fmt::join(list, " ")));
                 },
                 [](const std::vector<std::vector<std::int64_t>>&) { return std::string(); },
                 [](auto number) { return number_text(number); }},
      cell);
}

std::string table_text(const Cell& cell, const std::optional<TimeUnit>& unit) {
  return std::visit(
      Overloaded{[&](Duration time) { return unit ? in_unit(time, *unit) : to_text(time); },
                 [](Bytes size) { return to_text(size); },
                 [](TotalTime total) { return to_text(total); },
                 [](TotalBytes total) { return to_text(total); },
                 [](double share) { return fmt::format("{:.1f} %", share * 100); },
                 [](const std::string& text) { return text; },
                 [](const std::vector<std::int64_t>& sizes) {
                   return fmt::format("{}", fmt::join(sizes, " x "));
                 },
                 [&](const auto&) { return csv_text(cell); }},
      cell);
}

Json cell_json(const Cell& cell) {
  return std::visit(Overloaded{[](std::monostate) { return Json(nullptr); },
                               [](Duration time) { return Json(time.value); },
                               [](Bytes size) { return Json(size.value); },
                               [](TotalTime total) { return exact_json(total); },
                               [](TotalBytes total) { return exact_json(total); },
                               [](const auto& value) { return Json(value); }},
                    cell);
}

std::string unit_of(const Cell& example) { return type_schema(example).value("unit", ""); }

Json cell_schema(const Cell& example, bool may_be_null) {
  Json schema = type_schema(example);
  if (!may_be_null) return schema;
  if (!schema["type"].is_array()) schema["type"] = Json::array({schema["type"]});
  schema["type"].push_back("null");
  return schema;
}

}  // namespace orrery
