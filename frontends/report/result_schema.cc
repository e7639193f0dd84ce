#include "frontends/report/result_schema.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <ranges>
#include <utility>

#include "frontends/report/cell.h"
#include "frontends/report/collective_report.h"
#include "frontends/report/columns_of.h"
#include "frontends/report/csv_report.h"
#include "simulation/run_result.h"
#include "simulation/traffic_result.h"

namespace orrery {

namespace {

using Json = nlohmann::ordered_json;

template <class Row>
Json schema_of(bool compared = false);

template <class Row>
class Schema {
 public:
  explicit Schema(bool compared) : compared_(compared) { Row::describe(*this); }

  template <class Value>
  void column(const char* name, Value, const char* help, const Forms<Row>& forms = {}) {
    if (forms.json) add_column<std::invoke_result_t<Value, const Row&>>(name, help, forms);
  }
  template <class Value>
  void compared(const char* name, Value, const char* help, const Forms<Row>& forms = {}) {
    using Type = std::invoke_result_t<Value, const Row&, std::span<const Row>>;
    if (compared_) add_column<Type>(name, help, forms);
  }
  template <class Value>
  void rows(const char* name, Value, const char* help, const ListForms<Row>& forms = {}) {
    if (!forms.json) return;
    using Rows = std::remove_cvref_t<std::invoke_result_t<Value, const Row&>>;
    using Inside = std::ranges::range_value_t<Rows>;
    const std::string each =
        std::string(forms.keyed ? "a key for each " : "a row for each ") + help;
    add(name,
        forms.keyed ? keyed<Inside>() : Json{{"type", "array"}, {"items", schema_of<Inside>()}},
        each, !forms.omit_if_empty);
  }
  template <class Part>
  void part(const char* name, Part Row::*, const char* help, const PartForms<Row>& forms = {}) {
    if constexpr (IsOptional<Part>::value) {
      Json inside = schema_of<typename Part::value_type>();
      if (!forms.omit_if_none) inside["type"] = Json::array({"object", "null"});
      add(name, std::move(inside), help, !forms.omit_if_none);
    } else {
      add(name, schema_of<Part>(), help, true);
    }
  }

  Json take() && {
    return {{"type", "object"},
            {"properties", std::move(properties_)},
            {"required", std::move(required_)},
            {"additionalProperties", false}};
  }

 private:
  template <class Result>
  void add_column(const char* name, const char* help, const Forms<Row>& forms) {
    using Type = std::remove_cvref_t<Result>;
    const bool may_be_null =
        (IsOptional<Type>::value && !forms.omit_if_none) || forms.null_if_empty;
    add(name, cell_schema(example_cell<Type>(), may_be_null), help, !forms.omit_if_none);
  }

  void add(const char* name, Json schema, const std::string& help, bool is_required) {
    schema["description"] = help;
    properties_[name] = std::move(schema);
    if (is_required) required_.push_back(name);
  }

  template <class Inside>
  static Json keyed() {
    const ColumnsOf<Inside> declared;
    const auto& columns = declared.columns();
    Json value = cell_schema(columns[1].example, false);
    value["description"] = columns[1].help;
    return {{"type", "object"},
            {"propertyNames", {{"description", columns[0].help}}},
            {"additionalProperties", std::move(value)}};
  }

  bool compared_;
  Json properties_ = Json::object(), required_ = Json::array();
};

template <class Row>
Json schema_of(bool compared) {
  return Schema<Row>(compared).take();
}

Json csv_schema(const std::vector<CsvDeclaration>& declared) {
  Json tables = Json::array();
  for (const CsvDeclaration& table : declared) {
    Json columns = Json::array();
    for (const CsvColumn& column : table.columns)
      columns.push_back(
          {{"name", column.name}, {"unit", column.unit}, {"description", column.help}});
    tables.push_back({{"file", table.file}, {"each", table.each}, {"columns", std::move(columns)}});
  }
  return tables;
}

Json titled(const char* title) {
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
}

}  // namespace

std::string result_schema() {
  Json schema = titled("Orrery result: orrery.run/1");
  schema.update(schema_of<RunResult>());
  schema["csv"] = csv_schema(csv_declarations());
  return schema.dump(2) + '\n';
}

std::string comparison_schema() {
  Json schema = titled("Orrery comparison: orrery.compare/1");
  schema.update(
      {{"type", "object"},
       {"properties",
        {{"schema", {{"type", "string"}, {"description", "name and number of this format"}}},
         {"systems",
          {{"type", "array"},
           {"items", schema_of<RunResult>(true)},
           {"description", "the results, in the order of the files"}}}}},
       {"required", {"schema", "systems"}},
       {"additionalProperties", false}});
  return schema.dump(2) + '\n';
}

std::string collective_schema() {
  Json schema = titled("Orrery collectives: orrery.coll/1");
  schema.update(schema_of<CollectiveResult>());
  schema["csv"] =
      csv_schema({{"coll.csv", "row of coll.json", declared_columns(ColumnsOf<CollectiveRow>())}});
  return schema.dump(2) + '\n';
}

std::string traffic_schema() {
  Json schema = titled("Orrery traffic: orrery.traffic/1");
  schema.update(schema_of<TrafficResult>());
  schema["csv"] =
      csv_schema({{"traffic.csv", "range of sizes", declared_columns(ColumnsOf<FlowSizeRow>())}});
  return schema.dump(2) + '\n';
}

}  // namespace orrery
