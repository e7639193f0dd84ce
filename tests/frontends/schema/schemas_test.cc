// The schemas say yes to every file that comes with Orrery, and no to what the reader refuses.
#include "frontends/yaml/schemas.h"

#include <catch2/catch.hpp>
#include <charconv>
#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "formats/input/input_texts.h"
#include "formats/yaml/parse_yaml.h"
#include "frontends/yaml/bundled_platforms.h"
#include "tests/paths.h"
#include "tests/report/schema/schema_problems.h"

namespace orrery {
namespace {

using nlohmann::json;
using test::schema_problems;
namespace fs = std::filesystem;

// As editors read a plain scalar.
json scalar_of(const std::string& text) {
  std::int64_t whole = 0;
  double number = 0;
  const char *begin = text.data(), *end = begin + text.size();
  if (text == "true" || text == "false") return text == "true";
  if (const auto read = std::from_chars(begin, end, whole);
      read.ptr == end && read.ec == std::errc())
    return whole;
  if (const auto read = std::from_chars(begin, end, number);
      read.ptr == end && read.ec == std::errc())
    return number;
  return text;
}

json json_of(const yaml::YamlNode& node) {
  json result;
  if (node.kind == yaml::NodeKind::scalar) return scalar_of(node.text);
  if (node.kind == yaml::NodeKind::list) result = json::array();
  if (node.kind == yaml::NodeKind::map) result = json::object();
  for (const yaml::YamlNode& child : node.children) {
    if (result.is_array())
      result.push_back(json_of(child));
    else
      result[child.key] = json_of(child);
  }
  return result;
}

json value_of(const std::string& text) {
  yaml::Problems problems;
  const yaml::Source source{"text", true, {}};
  const auto root = yaml::parse_yaml(text, source, "", problems);
  REQUIRE(root);
  return json_of(*root);
}

// A file, or one that is part of the program.
json read(const fs::path& path) { return value_of(InputTexts().read(path.string())); }

// What `file:` in a section of `value` leads to, held against the schema of its kind.
std::size_t check_parts(const json& value, const fs::path& folder) {
  std::size_t checked = 0;
  for (const char* section : {"platform", "system", "network", "workload"}) {
    if (!value.contains(section) || !value[section].contains("file")) continue;
    const fs::path part = folder / value[section]["file"].get<std::string>();
    if (!fs::exists(part)) continue;  // a bundled platform
    const json inside = read(part);
    INFO(part.string());
    CHECK(schema_problems(json::parse(part_schema(section)), inside) == std::vector<std::string>());
    checked += 1 + check_parts(inside, part.parent_path());
  }
  return checked;
}

std::vector<fs::path> yaml_files(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(source_folder() + folder))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  return files;
}

void check_defaults(const json& node, std::size_t& checked) {
  if (node.is_object() && node.contains("default") && node.contains("description")) {
    INFO(node.dump());
    CHECK(schema_problems(node, node["default"]) == std::vector<std::string>());
    ++checked;
  }
  if (node.is_structured())
    for (const json& below : node) check_defaults(below, checked);
}

}  // namespace

TEST_CASE("every default is as its own schema says", "[schema]") {
  std::size_t checked = 0;
  check_defaults(json::parse(experiment_schema()), checked);
  check_defaults(json::parse(efficiency_schema()), checked);
  CHECK(checked > 200);
}

TEST_CASE("the schemas accept every example, and the parts that it is made of", "[schema]") {
  const json experiment = json::parse(experiment_schema()), sweep = json::parse(sweep_schema());
  std::size_t experiments = 0, sweeps = 0, parts = 0;
  for (const char* folder : {"/examples", "/tests/frontends/yaml/good"}) {
    for (const fs::path& file : yaml_files(folder)) {
      const json value = read(file);
      const bool is_sweep = value.contains("experiments");
      const bool has_job = value.contains("workload") || value.contains("traffic");
      if (!is_sweep && !(value.contains("platform") && has_job)) continue;
      INFO(file.string());
      CHECK(schema_problems(is_sweep ? sweep : experiment, value) == std::vector<std::string>());
      ++(is_sweep ? sweeps : experiments);
      parts += check_parts(value, file.parent_path());
    }
  }
  CHECK(experiments >= 40);
  CHECK(sweeps >= 8);
  CHECK(parts >= 30);
}

TEST_CASE("a platform has one network in its schema, and servers beside it", "[schema]") {
  const json experiment = json::parse(experiment_schema());
  const auto accepts = [&](const char* platform) {
    const json file = {{"platform", json::parse(platform)}, {"workload", "llama3-8b"}};
    return schema_problems(experiment, file).empty();
  };
  CHECK(accepts(R"({"server": "hgx-h100", "nodes": 4})"));
  CHECK(accepts(R"({"server": "hgx-h100", "nodes": 4, "leaf_spine": {"spines": 2}})"));
  CHECK_FALSE(accepts(R"({"leaf_spine": {"spines": 2}, "fat_tree": {"radix": 8}})"));
  CHECK(accepts(R"({"npu": "h100", "ranks": 512})"));
  CHECK(accepts(R"({"npu": "h100", "servers": 4, "nic": "2x400 Gb/s", "oversubscription": 2})"));
  CHECK(accepts(R"({"npu": "h100", "rail": {"servers": 4}})"));
  CHECK_FALSE(accepts(R"({"npu": "h100", "servers": 4, "nic": "2x400"})"));
  CHECK_FALSE(accepts(R"({"npu": "h100", "rail": {}, "ranks": "all"})"));
  CHECK_FALSE(accepts(R"({"nodes": 4, "servers": 2})"));
}

TEST_CASE("how ranks share a model may stand beside its name in the schema", "[schema]") {
  const json experiment = json::parse(experiment_schema());
  const auto accepts = [&](const char* workload) {
    const json file = {{"platform", "dgx-h100"}, {"workload", json::parse(workload)}};
    return schema_problems(experiment, file).empty();
  };
  CHECK(accepts(R"({"model": "llama3-8b", "tensor": 8, "sequence": 4096, "global_batch": 64})"));
  CHECK(accepts(R"({"model": "llama3-8b", "training": {"tensor": 8}})"));
  CHECK(accepts(R"({"model": "resnet50", "data_parallel": {"batch": 32}})"));
  CHECK_FALSE(accepts(R"({"model": "llama3-8b", "tensor": "8 GB"})"));
  CHECK_FALSE(accepts(R"({"all_reduce": "1 GB", "training": {"tensor": 8}})"));
}

TEST_CASE("the schemas accept what is bundled", "[schema]") {
  const json platform = json::parse(part_schema("platform"));
  for (const yaml::BundledFile& file : yaml::bundled_platforms()) {
    INFO(file.file);
    CHECK(schema_problems(platform, read(file.file)) == std::vector<std::string>());
  }
  const json efficiency = json::parse(efficiency_schema());
  for (const yaml::BundledFile& file : yaml::bundled_efficiencies()) {
    INFO(file.file);
    CHECK(schema_problems(efficiency, read(file.file)) == std::vector<std::string>());
  }
}

TEST_CASE("a section that names a file needs no keys, and another one does", "[schema]") {
  const json schema = json::parse(experiment_schema());
  const auto accepts = [&](const std::string& text) {
    return schema_problems(schema, value_of(text)).empty();
  };
  const std::string job = "workload: {file: jobs.yaml}\n";
  CHECK(accepts("platform: {file: dgx-h100}\n" + job));
  CHECK(accepts("platform: {file: dgx-h100, topology: {}}\n" + job));
  CHECK_FALSE(accepts("platform: {}\n" + job));
  CHECK_FALSE(accepts("platform: {topology: {}}\n" + job));
  CHECK_FALSE(accepts("platform: {file: dgx-h100, topologie: {}}\n" + job));
  const std::string built = "platform: {topology: {torus: {sizes: [4, 4], ";
  CHECK(accepts(built + "bandwidth: 1 GB/s}}}\n" + job));
  CHECK(accepts(built + "}}, npu: tpu-v4}\n" + job));
  CHECK_FALSE(accepts("platform: {topology: {torus: {bandwidth: 1 GB/s}}}\n" + job));
  CHECK_FALSE(accepts("platform: {file: dgx-h100}\n"));
}

TEST_CASE("the schema offers no transport that no backend models", "[schema]") {
  const json schema = json::parse(experiment_schema());
  const json& transport = schema["properties"]["network"]["properties"]["transport"];
  CHECK(transport["properties"]["kind"]["enum"] ==
        json{"tcp", "roce", "ndp", "uet", "pias", "pfabric", "mlt", "ideal"});
}

}  // namespace orrery
