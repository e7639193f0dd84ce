#include "report/result_schema.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "report/cell.h"
#include "report/collective_report.h"
#include "report/csv_report.h"
#include "report/row_type.h"
#include "simulation/run_result.h"
#include "simulation/traffic_result.h"

namespace orrery {

namespace {

using Json = nlohmann::ordered_json;

Json schema_of(const RowType& type, bool compared = false);

// The first column names the value of the second one.
Json keyed_schema(const RowType& type) {
  const std::vector<RowColumn>& columns = type.columns();
  Json value = cell_schema(columns[1].example, false);
  value["description"] = columns[1].help;
  return {{"type", "object"},
          {"propertyNames", {{"description", columns[0].help}}},
          {"additionalProperties", std::move(value)}};
}

// Adds what an entry of the declaration says to the schema of a row.
struct RowSchema {
  bool compared;
  Json properties = Json::object(), required = Json::array();

  void operator()(const RowColumn& column) {
    if (column.is_compared ? !compared : !column.json) return;
    const bool may_be_null = (column.may_have_none && !column.omit_if_none) || column.null_if_empty;
    add(column.name, cell_schema(column.example, may_be_null), column.help, !column.omit_if_none);
  }
  void operator()(const RowList& list) {
    if (!list.json) return;
    const std::string each =
        std::string(list.keyed ? "a key for each " : "a row for each ") + list.help;
    Json schema = list.keyed ? keyed_schema(list.type())
                             : Json{{"type", "array"}, {"items", schema_of(list.type())}};
    add(list.name, std::move(schema), each, !list.omit_if_empty);
  }
  void operator()(const RowPart& part) {
    Json inside = schema_of(part.type());
    if (part.may_have_none && !part.omit_if_none) inside["type"] = Json::array({"object", "null"});
    add(part.name, std::move(inside), part.help, !(part.may_have_none && part.omit_if_none));
  }

  void add(const char* name, Json schema, const std::string& help, bool is_required) {
    schema["description"] = help;
    properties[name] = std::move(schema);
    if (is_required) required.push_back(name);
  }
};

Json schema_of(const RowType& type, bool compared) {
  RowSchema schema{compared};
  for (const RowType::Entry& entry : type.entries()) std::visit(schema, entry);
  return {{"type", "object"},
          {"properties", std::move(schema.properties)},
          {"required", std::move(schema.required)},
          {"additionalProperties", false}};
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
  schema.update(schema_of(row_type_of<RunResult>()));
  schema["csv"] = csv_schema(csv_declarations());
  return schema.dump(2) + '\n';
}

std::string comparison_schema() {
  Json schema = titled("Orrery comparison: orrery.compare/1");
  schema.update(
      {{"type", "object"},
       {"properties",
        {{"schema", {{"type", "string"}, {"description", "name and number of this format"}}},
         {"without_room",
          {{"type", "array"},
           {"items", {{"type", "string"}}},
           {"description",
            "names of systems that do not fit into memory, of which none is the fastest "
            "unless all are such"}}},
         {"systems",
          {{"type", "array"},
           {"items", schema_of(row_type_of<RunResult>(), true)},
           {"description", "the results, in the order of the files"}}}}},
       {"required", {"schema", "without_room", "systems"}},
       {"additionalProperties", false}});
  return schema.dump(2) + '\n';
}

std::string collective_schema() {
  Json schema = titled("Orrery collectives: orrery.coll/1");
  schema.update(schema_of(row_type_of<CollectiveResult>()));
  schema["csv"] = csv_schema(
      {{"coll.csv", "row of coll.json", declared_columns(row_type_of<CollectiveRow>())}});
  return schema.dump(2) + '\n';
}

std::string traffic_schema() {
  Json schema = titled("Orrery traffic: orrery.traffic/1");
  schema.update(schema_of(row_type_of<TrafficResult>()));
  schema["csv"] =
      csv_schema({{"traffic.csv", "range of sizes", declared_columns(row_type_of<FlowSizeRow>())}});
  return schema.dump(2) + '\n';
}

}  // namespace orrery
