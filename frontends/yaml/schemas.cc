#include "frontends/yaml/schemas.h"

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "frontends/yaml/describe_efficiency.h"
#include "frontends/yaml/describe_experiment.h"
#include "frontends/yaml/named_sections.h"
#include "frontends/yaml/schema_writer.h"

namespace orrery {

namespace {

using yaml::SchemaWriter;
using Json = SchemaWriter::Json;

std::string text_of(std::string_view kind, const char* title, Json schema) {
  Json titled = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"$id", fmt::format("urn:orrery:schema:{}", kind)},
                 {"title", title}};
  titled.update(schema);
  return titled.dump(2) + '\n';
}

SchemaWriter experiment_keys(SchemaWriter::Files files = SchemaWriter::Files::give_keys) {
  SchemaWriter keys(files);
  Experiment defaults;
  yaml::describe_experiment(keys, defaults);
  return keys;
}

Json requires_key(const char* key) { return {{"required", Json::array({key})}}; }

// Calls `visit` with every object below `json`, and then with `json`.
void visit_objects(Json& json, const std::function<void(Json&)>& visit) {
  if (json.is_structured())
    for (Json& child : json) visit_objects(child, visit);
  if (json.is_object()) visit(json);
}

// "servers: 16" is "nodes: 16", "nic: 2x400 Gb/s" says how many of 400 Gb/s.
void add_short_forms_of_platform(Json& platform) {
  visit_objects(platform, [](Json& object) {
    if (object.contains("nodes") && object["nodes"].value("type", "") == "integer")
      object["servers"] = object["nodes"];
    if (object.value("required", Json()) == Json::array({"nodes"})) {
      object.erase("required");
      object["oneOf"] = Json::array({requires_key("nodes"), requires_key("servers")});
    }
    if (object.contains("nic") && object["nic"].contains("pattern"))
      object["nic"]["pattern"] =
          fmt::format("^([0-9]+ *x *)?{}", object["nic"]["pattern"].get<std::string>().substr(1));
  });
}

// "{model: llama3-70b, tensor: 8}": keys of the sections of a workload stand in the workload, too,
// and a model may stand for the section that others belong to.
void add_short_forms_of_workload(Json& workload) {
  Json& properties = workload["properties"];
  for (const auto& [key, section, model] : yaml::keys_of_workload) {
    const std::string name(key);
    properties[name] = properties[std::string(section)]["properties"][name];
  }
  visit_objects(workload, [](Json& object) {
    if (!object.contains("dependentSchemas")) return;
    for (const char* key : {"training", "data_parallel"})
      if (object["dependentSchemas"].contains(key))
        object["dependentSchemas"][key]["anyOf"].push_back(requires_key("model"));
  });
}

// What named_sections.h and network_of_servers.h make longer before keys are read.
Json with_short_forms(Json sections) {
  add_short_forms_of_platform(sections["properties"]["platform"]);
  add_short_forms_of_workload(sections["properties"]["workload"]);
  return sections;
}

// A file has a workload, or flows instead.
Json experiment_json(SchemaWriter::Files files) {
  Json schema = experiment_keys(files).schema();
  if (files == SchemaWriter::Files::give_keys) schema = with_short_forms(std::move(schema));
  Json& required = schema["required"];
  for (std::size_t i = 0; i < required.size(); ++i)
    if (required[i] == "workload") required.erase(i);
  const Json workload = {{"required", Json::array({"workload"})}};
  const Json traffic = {{"required", Json::array({"traffic"})}};
  schema["oneOf"] = Json::array({workload, traffic});
  return schema;
}

// Lists of values by the keys that they are for.
Json zipped_keys() {
  Json values = {{"type", "array"}, {"minItems", 1}};
  return {{"type", "object"}, {"minProperties", 1}, {"additionalProperties", std::move(values)}};
}

Json varied_keys() { return {{"type", "array"}, {"items", zipped_keys()}}; }

Json sampled_keys() {
  const Json end = {{"type", Json::array({"number", "string"})}};
  const Json range = {
      {"type", "object"},
      {"properties",
       {{"from", end}, {"to", end}, {"scale", {{"enum", Json::array({"linear", "log"})}}}}},
      {"required", Json::array({"from", "to"})},
      {"additionalProperties", false}};
  const Json values = {{"type", "array"}, {"minItems", 1}};
  const Json count = {{"type", "integer"}, {"minimum", 1}};
  return {{"type", "object"},
          {"properties",
           {{"samples", count},
            {"seed", {{"type", "integer"}, {"minimum", 0}}},
            {"keys",
             {{"type", "object"},
              {"minProperties", 1},
              {"additionalProperties", {{"anyOf", Json::array({values, range})}}}}}}},
          {"required", Json::array({"samples", "keys"})},
          {"additionalProperties", false}};
}

Json repeated_seeds() {
  return {{"type", "object"},
          {"properties", {{"seeds", {{"type", "integer"}, {"minimum", 1}}}}},
          {"required", Json::array({"seeds"})},
          {"additionalProperties", false}};
}

Json one_text_or_more() {
  const Json text = {{"type", "string"}};
  return {{"anyOf", Json::array({text, {{"type", "array"}, {"items", text}}})}};
}

}  // namespace

std::string experiment_schema() {
  return text_of("experiment", "Orrery experiment",
                 experiment_json(SchemaWriter::Files::give_keys));
}

std::string strict_experiment_schema() {
  return text_of("strict-experiment", "Orrery experiment",
                 experiment_json(SchemaWriter::Files::give_none));
}

std::string part_schema(std::string_view section) {
  Json sections = with_short_forms(experiment_keys().shape());
  Json keys = sections["properties"][std::string(section)];
  sections["required"] = Json::array({section});
  return text_of(section, "Orrery part of an experiment",
                 {{"anyOf", Json::array({std::move(keys), std::move(sections)})}});
}

std::string sweep_schema() {
  SchemaWriter keys;
  std::string name;
  yaml::OneOrMore<std::string> experiments;
  keys.optional("name", name, "for reports");
  keys.required("experiments", experiments, "the experiment files, relative to this one");
  keys.property("set", {{"type", "object"}}, "keys of the experiments with values for all points");
  keys.property("vary", varied_keys(),
                "every combination of these; the keys of one item change together");
  keys.property("zip", zipped_keys(), "keys that change together, with equally many values");
  keys.property("random", sampled_keys(),
                "combinations drawn by chance, of values or from ranges; each at every point");
  keys.property("latin", sampled_keys(),
                "the same, with values spread evenly over each range: a Latin hypercube");
  keys.property("repeat", repeated_seeds(), "every point with the seeds 1, 2, ...");
  keys.property("where", one_text_or_more(),
                "conditions over keys of the sweep; points that do not meet them are left out");
  keys.property("metrics", one_text_or_more(),
                "more numbers of the results to collect, such as training.samples_per_s");
  return text_of("sweep", "Orrery sweep", keys.schema());
}

std::string efficiency_schema() {
  SchemaWriter keys;
  EfficiencySpec efficiency;
  std::string description;
  yaml::describe_efficiency(keys, efficiency, description);
  return text_of("efficiency", "Orrery efficiency of devices", keys.schema());
}

}  // namespace orrery
