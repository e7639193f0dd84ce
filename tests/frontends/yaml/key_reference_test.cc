#include "frontends/yaml/key_reference.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/base/config_error.h"
#include "formats/import/foreign_names.h"
#include "frontends/yaml/load_experiment.h"
#include "network/backends.h"
#include "tests/paths.h"

namespace orrery {
namespace {

std::string contents(const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

const KeyEntry* find(const std::vector<KeyEntry>& keys, const std::string& path) {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const KeyEntry& key) { return key.path == path; });
  return found == keys.end() ? nullptr : &*found;
}

TEST_CASE("docs/reference/keys.md is what the program writes") {
  if (find_backend("ns3") == nullptr) return;  // the page lists the backends of a full build
  INFO("./scripts/update_goldens.py keys writes it anew");
  CHECK(contents(source_folder() + "/docs/reference/keys.md") == key_reference_page());
}

TEST_CASE("a key says its type, range, default and page") {
  const std::vector<KeyEntry> keys = key_reference();
  CHECK(keys.size() > 400);
  for (const KeyEntry& key : keys) {
    INFO(key.path);
    CHECK_FALSE(key.type.empty());
    CHECK_FALSE(key.help.empty());
    CHECK(std::filesystem::exists(source_folder() + '/' + key.page));
  }
  const KeyEntry* window = find(keys, "network.transport.window");
  REQUIRE(window != nullptr);
  CHECK(window->type.starts_with("size, such as 64 MiB"));
  CHECK(window->default_value == "1 MB");
  CHECK(window->page == "docs/models/ns3.md");
  const KeyEntry* size = find(keys, "platform.topology.levels[].size");
  REQUIRE(size != nullptr);
  CHECK(size->required);
  CHECK(size->type.starts_with("whole number, "));
  CHECK(find(keys, "system.protocol")->default_value == "none");  // a name, not the lack of one
  CHECK(find(keys, "platform.npu.peak")->default_value.empty());
  CHECK(find(keys, "workload.training.expert_tensor")->page == "docs/models/experts.md");
  CHECK(find(keys, "workload.skew")->page == "docs/models/compute.md");
  CHECK(find(keys, "ties")->page == "docs/models/analytical.md");
  CHECK(find(keys, "workload.jobs[].transformer.heads")->page == "docs/models/transformer.md");
  CHECK(find(keys, "workload.jobs[].npus")->page == "docs/models/jobs.md");
  for (const KeyEntry& key : keys) {
    INFO(key.path);
    if (key.path.starts_with("network.transport.") && key.help.starts_with("RoCE"))
      CHECK(key.page == "docs/models/roce.md");
  }
}

TEST_CASE("explain_key() takes a path, the end of one, and indices") {
  const std::string window = explain_key("network.transport.window");
  CHECK(window.starts_with("network.transport.window: "));
  CHECK(explain_key("transport.window") == window);
  CHECK(explain_key("platform.topology.levels[3].size") ==
        explain_key("platform.topology.levels.0.size"));
  CHECK(explain_key("injection_latency").starts_with("system.injection_latency: "));
  CHECK(explain_key("network.transport").find("window") != std::string::npos);  // its keys
  // One paragraph for the ten kinds of collectives, whose keys are alike.
  const std::string custom = explain_key("custom_size");
  CHECK(custom.starts_with("system.all_reduce.custom_size: "));
  CHECK_THAT(custom, Catch::Contains("\n  also     system.reduce_scatter.custom_size, "
                                     "system.all_gather.custom_size and 7 more\n"));
  CHECK(custom.find("\n\n") == std::string::npos);
  CHECK_THROWS_WITH(explain_key("wimdow"), Catch::Contains("did you mean \"window\"?"));
  CHECK_THROWS_WITH(explain_key("tensor_model_parallel_size"),
                    Catch::Contains("workload.training.tensor"));
  CHECK(looks_like_a_key("levels[0].size"));
  CHECK_FALSE(looks_like_a_key("hier.yaml"));
  CHECK_FALSE(looks_like_a_key("examples/hier"));
}

// Each "workload.a.b" and "platform.a.b" in `text`.
std::vector<std::string> keys_named_in(std::string_view text) {
  std::vector<std::string> found;
  for (const std::string_view section : {"workload.", "platform.", "network."}) {
    for (std::size_t at = 0; (at = text.find(section, at)) != std::string_view::npos;) {
      const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_.0123456789", at);
      found.emplace_back(text.substr(at, end - at));
      at = std::min(end, text.size());
    }
  }
  return found;
}

TEST_CASE("what other frameworks call a setting leads to a key that exists") {
  const std::vector<KeyEntry> keys = key_reference();
  for (const ForeignName& entry : foreign_names()) {
    INFO(entry.name << ": " << entry.remedy);
    CHECK_FALSE(keys_named_in(entry.remedy).empty());
    for (const std::string& key : keys_named_in(entry.remedy)) CHECK(find(keys, key) != nullptr);
    // The reader asks only for keys that it does not know.
    CHECK(find(keys, "workload.training." + std::string(entry.name)) == nullptr);
  }
  CHECK(name_here("--tensor-model-parallel-size") == "write workload.training.tensor");
  CHECK(name_here("tensor").empty());
  CHECK_THAT(std::string(name_here("preset")), Catch::Contains("platform: dgx-h100"));
  CHECK_THAT(std::string(name_here("server")), Catch::Contains("node: hgx-h100"));
}

TEST_CASE("an unknown key of Megatron-LM or torchtitan is answered with ours") {
  const std::string file = source_folder() + "/examples/llm-parallelism/inside.yaml";
  const auto message = [&](const std::string& setting) -> std::string {
    try {
      load_experiment(file, {{setting}});
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  CHECK_THAT(message("workload.training.distributed_optimizer=true"),
             Catch::Contains("write workload.training.sharding: zero1"));
  CHECK_THAT(message("workload.training.tensor_model_parallel_size=8"),
             Catch::Contains("write workload.training.tensor"));
  CHECK_THAT(message("workload.training.num_layers_per_virtual_pipeline_stage=2"),
             Catch::Contains("schedule: interleaved"));
  CHECK_THAT(message("workload.training.data_parallel_shard_degree=8"),
             Catch::Contains("sharding: zero3"));
}

}  // namespace
}  // namespace orrery
