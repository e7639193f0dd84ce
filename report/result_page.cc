#include "report/result_page.h"

#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/result_schema.h"

namespace orrery {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* beginning =
    R"(# Reference: fields and columns of results

`orrery schema result --format markdown` writes this page, and a test compares the two. The words
are explained in [results](../results.md). `orrery schema result` prints the same as JSON Schema,
`orrery schema comparison` that of `comparison.json`, `orrery schema coll` that of `coll.json`,
`orrery schema traffic` that of `traffic.json`.

Units: `ps` are integer picoseconds, `bytes` integer bytes. "none" is `null` in JSON and an empty
field in CSV. Fields and columns are listed in their order.
)";

std::string type_text(const Json& schema) {
  const Json& type = schema["type"];
  const std::string name = type.is_array() ? type[0] : type;
  if (schema.contains("unit")) return schema["unit"];
  if (name == "array") {
    const std::string item = type_text(schema["items"]);
    return item == "object" ? "list" : "list of " + item;
  }
  return name == "string" ? "text" : name;
}

// With a capital and a full stop, in lines of at most 100 columns.
std::string sentence(std::string text) {
  constexpr std::size_t most_columns = 100;
  text.front() = static_cast<char>(std::toupper(text.front()));
  text += '.';
  for (std::size_t begin = 0; text.size() - begin > most_columns;) {
    const std::size_t space = text.rfind(' ', begin + most_columns);
    text[space] = '\n';
    begin = space + 1;
  }
  return text;
}

// The object that a field is or has many of; null if it has no fields of its own.
const Json* inside_of(const Json& schema) {
  if (schema.contains("properties")) return &schema;
  return schema.contains("items") ? inside_of(schema["items"]) : nullptr;
}

// A table for the object, then one for each object in it.
void add_fields(std::string& page, const std::string& path, const Json& object) {
  page += "\n| field | type | what it is |\n|---|---|---|\n";
  for (const auto& [name, field] : object["properties"].items()) {
    const bool keyed = field.contains("propertyNames");
    const std::string value = keyed ? field["additionalProperties"].value("description", "") : "";
    const std::string key = keyed ? field["propertyNames"].value("description", "") : "";
    page += fmt::format("| `{}` | {} | {}{} |\n", name, type_text(field),
                        field["description"].get<std::string>(),
                        keyed ? fmt::format(". Key: {}. Value, in {}: {}", key,
                                            type_text(field["additionalProperties"]), value)
                              : "");
  }
  for (const auto& [name, field] : object["properties"].items()) {
    const Json* inside = inside_of(field);
    if (inside == nullptr) continue;
    const std::string below = path + name + (field.contains("items") ? "[]" : "");
    page += fmt::format("\n### `{}`\n\n{}\n", below, sentence(field["description"]));
    add_fields(page, below + '.', *inside);
  }
}

void add_table(std::string& page, const Json& table) {
  page += fmt::format("\n### `{}`\n\n{}\n\n| column | unit | what it is |\n|---|---|---|\n",
                      table["file"].get<std::string>(),
                      sentence("a row for each " + table["each"].get<std::string>()));
  for (const Json& column : table["columns"])
    page +=
        fmt::format("| `{}` | {} | {} |\n", column["name"].get<std::string>(),
                    column["unit"].get<std::string>(), column["description"].get<std::string>());
}

}  // namespace

std::string result_page() {
  const Json schema = Json::parse(result_schema());
  std::string page = beginning;
  page += "\n## `result.json`, `run --format json`\n";
  add_fields(page, "", schema);
  page += "\n## CSV tables\n";
  for (const Json& table : schema["csv"]) add_table(page, table);
  const Json collectives = Json::parse(collective_schema());
  page += "\n## `coll.json`, `coll --format json`\n";
  add_fields(page, "", collectives);
  add_table(page, collectives["csv"][0]);
  const Json traffic = Json::parse(traffic_schema());
  page += "\n## `traffic.json`, `traffic --format json`\n";
  add_fields(page, "", traffic);
  add_table(page, traffic["csv"][0]);
  return page;
}

}  // namespace orrery
