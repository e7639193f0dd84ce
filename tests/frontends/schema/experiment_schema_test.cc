#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "frontends/yaml/load_experiment.h"
#include "frontends/yaml/schemas.h"
#include "system/npu_presets.h"
#include "tests/paths.h"

namespace orrery {
namespace {

using Json = nlohmann::json;

// The schema of what "a.b[1].c" names; null if the schema does not know it.
const Json* find(const Json& schema, std::string path) {
  const Json* node = &schema;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    std::string step = path.substr(0, end);
    path.erase(0, end + 1);
    const std::size_t bracket = step.find('[');
    const std::string key = step.substr(0, bracket);
    if (node->contains("anyOf") && !node->contains("properties"))  // a word, or a map
      node = &(*node)["anyOf"].back();
    if (!node->contains("properties") || !(*node)["properties"].contains(key)) return nullptr;
    node = &(*node)["properties"][key];
    if (bracket != std::string::npos) node = &(*node)["items"];
  }
  return node;
}

TEST_CASE("the schema is JSON that knows every key the reader knows") {
  const Json schema = Json::parse(experiment_schema());
  CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK(schema["$id"] == "urn:orrery:schema:experiment");
  std::size_t keys = 0;
  for (const char* file : {"all_features.yaml", "program.yaml", "text.yaml", "hoti20.yaml"}) {
    const std::string folder = source_folder() + "/tests/frontends/yaml/good/";
    for (const ResolvedValue& value : load_experiment(folder + file, {}).resolved) {
      INFO(value.path);
      if (value.path.ends_with(" contents")) continue;  // the hash of a data file: no key
      const Json* found = find(schema, value.path);
      REQUIRE(found != nullptr);
      CHECK((*found)["description"] == value.help);
      ++keys;
    }
  }
  CHECK(keys > 150);
}

TEST_CASE("the schema says what an editor can use") {
  const Json schema = Json::parse(experiment_schema());
  CHECK(schema["required"] == Json::array({"platform"}));
  CHECK(schema["oneOf"][0]["required"] == Json::array({"workload"}));  // or flows
  CHECK(schema["oneOf"][1]["required"] == Json::array({"traffic"}));
  CHECK(schema["additionalProperties"] == false);
  const Json* level = find(schema, "platform.topology.levels[0]");
  REQUIRE(level != nullptr);
  CHECK((*level)["required"] == Json{"size", "bandwidth"});
  CHECK((*level)["properties"]["kind"]["enum"] ==
        Json{"ring", "mesh", "fully_connected", "switch"});
  CHECK((*level)["properties"]["size"]["minimum"] == 2);
  CHECK(!find(schema, "system.chunks")->contains("default"));  // chosen, call by call
  CHECK((*find(schema, "system.minimum_chunk"))["default"] == "1 KiB");
  CHECK((*find(schema, "network.backend"))["enum"][0] == "analytical");
  CHECK((*find(schema, "platform.npu.preset"))["enum"].size() == npu_presets().size());
  for (const char* section : {"platform", "system", "network", "workload"}) {
    CHECK(find(schema, section)->at("properties").contains("file"));
  }
}

}  // namespace
}  // namespace orrery
