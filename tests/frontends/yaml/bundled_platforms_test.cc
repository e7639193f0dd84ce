#include "frontends/yaml/bundled_platforms.h"

#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "core/base/config_error.h"
#include "frontends/yaml/load_experiment.h"
#include "network/topology/builders/server_presets.h"

using namespace orrery;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

// A folder of files, gone after the test.
class Folder {
 public:
  Folder() { fs::create_directories(path_ / "platforms"); }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  fs::path path_ = fs::temp_directory_path() / ("orrery_bundled_test." + std::to_string(getpid()));
};

std::vector<std::int32_t> level_sizes(const Experiment& experiment) {
  std::vector<std::int32_t> sizes;
  for (const LevelSpec& level : experiment.topology.levels) sizes.push_back(level.size);
  return sizes;
}

using Sizes = std::vector<std::int32_t>;

const std::string three_levels = R"(platform:
  topology:
    levels:
      - {kind: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}
      - {kind: switch, size: 3, bandwidth: 1 GB/s, latency: 1 us}
      - {kind: switch, size: 5, bandwidth: 1 GB/s, latency: 1 us}
)";

}  // namespace

TEST_CASE("every bundled platform loads and says what it is") {
  const auto platforms = yaml::bundled_platforms();
  CHECK(platforms.size() >= 5);
  for (const yaml::BundledFile& platform : platforms) {
    INFO(platform.name);
    CHECK(load_cluster(platform.name, {}).name == platform.name);
    CHECK(load_cluster(platform.name, {}).description.size() > 10);
  }
}

TEST_CASE("bundled figures are those of the data sheets") {
  // One direction of a GPU's NVLinks: 18, 12 and 6 links of 25 GB/s.
  const auto nvlink = [](const std::string& name) {
    return load_cluster(name, {}).topology.levels.front().bandwidth;
  };
  CHECK(nvlink("dgx-h100") == gigabytes_per_second(18 * 25));
  CHECK(nvlink("dgx-a100") == gigabytes_per_second(12 * 25));
  CHECK(nvlink("dgx2-v100") == gigabytes_per_second(6 * 25));
  CHECK(load_cluster("dgx-h100-superpod", {}).topology.levels[1].bandwidth ==
        gigabits_per_second(400));
}

TEST_CASE("a server alone is a platform of its name") {
  for (const ServerPreset& server : server_presets()) {
    INFO(server.name);
    const Experiment alone = load_cluster(std::string(server.name), {});
    REQUIRE(alone.topology.levels.size() == 1);
    const LevelSpec& level = alone.topology.levels.front();
    CHECK(level.size == server.server.npus);
    CHECK(level.bandwidth == server.server.link.bandwidth);
    CHECK(level.latency == server.server.link.latency);
    CHECK((level.kind == LevelKind::switched) == (server.server.inside == NodeInside::switched));
  }
  CHECK(load_cluster("DGX H100", {}).topology.levels.size() == 1);
}

TEST_CASE("$ORRERY_PATH goes before what is bundled") {
  const Folder folder;
  folder.write("platforms/mine.yaml", "description: my own\n" + three_levels);
  folder.write("platforms/dgx-h100.yaml", "description: another\n" + three_levels);
  setenv("ORRERY_PATH", ("/nowhere:" + folder.path()).c_str(), 1);
  CHECK(load_cluster("mine", {}).description == "my own");
  CHECK(load_cluster("dgx-h100", {}).description == "another");
  CHECK(load_cluster("dgx-a100", {}).topology.levels.size() == 1);
  unsetenv("ORRERY_PATH");
  CHECK(load_cluster("dgx-h100", {}).description != "another");
  CHECK_THROWS_WITH(load_cluster("mine", {}), Contains("--platform mine: error: there is neither"));
}

TEST_CASE("platforms/ of the working directory adds names and replaces none") {
  const Folder folder;
  folder.write("platforms/mine.yaml", "description: my own\n" + three_levels);
  folder.write("platforms/dgx-h100.yaml", "description: another\n" + three_levels);
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  CHECK(load_cluster("mine", {}).description == "my own");
  CHECK(load_cluster("dgx-h100", {}).description != "another");
  CHECK(load_cluster("./platforms/dgx-h100.yaml", {}).description == "another");
  fs::current_path(before);
}

TEST_CASE("`file:` takes a bundled platform by its name") {
  const Folder folder;
  const std::string job = "workload: {program: [{operations: [{all_reduce: 1 MB}]}]}\n";
  const std::string file = folder.write("job.yaml", "platform: {file: hoti20-hier}\n" + job);
  const Experiment experiment = load_experiment(file, {});
  CHECK(level_sizes(experiment) == Sizes{16, 8});
  CHECK(experiment.npu.preset == "v100");
  // Its system section is another section: it is there when it is named.
  CHECK(experiment.system.collectives[0].chunks == CollectiveSpec{}.chunks);
  const Experiment both =
      load_experiment(file, {{"system={file: hoti20-hier}"}, {"system.queue_limit=7"}});
  CHECK(both.system.collectives[0].chunks == 128);
  CHECK(both.system.queue_limit == 7);
  // A file of that name goes first.
  folder.write("hoti20-hier",
               "topology: {levels: [{kind: ring, size: 6, bandwidth: 1 GB/s, "
               "latency: 1 us}]}\n");
  CHECK(level_sizes(load_experiment(file, {})) == Sizes{6});
  CHECK_THROWS_WITH(load_experiment(file, {{"platform={file: dgx-h10}"}}),
                    Contains("nor is it a bundled platform: did you mean \"dgx-h100\"?"));
}

TEST_CASE("`file:` takes the section of its name out of an experiment") {
  const Folder folder;
  folder.write("other.yaml", three_levels + "system: {chunks: 3}\n");
  const std::string file =
      folder.write("job.yaml",
                   "platform: {file: other.yaml}\nsystem: {file: other.yaml, queue_limit: 9}\n"
                   "workload: {program: [{operations: [{all_reduce: 1 MB}]}]}\n");
  const Experiment experiment = load_experiment(file, {});
  CHECK(level_sizes(experiment) == Sizes{4, 3, 5});
  CHECK(experiment.system.collectives[0].chunks == 3);
  CHECK(experiment.system.queue_limit == 9);
}

TEST_CASE("a cluster is an experiment whose workload does not matter") {
  const Folder folder;
  const std::string file =
      folder.write("whole.yaml", three_levels + "workload: {nonsense: 1}\nseed: 5\n");
  CHECK(level_sizes(load_cluster(file, {})) == Sizes{4, 3, 5});
  CHECK(load_cluster(file, {}).seed == 5);
  CHECK_THROWS_AS(load_cluster(folder.write("half.yaml", "seed: 5\n"), {}), ConfigError);
}

TEST_CASE("fewer ranks are whole inner groups") {
  const Folder folder;
  const std::string file = folder.write("three.yaml", three_levels);
  const auto sizes = [&](std::int32_t ranks) { return level_sizes(load_cluster(file, {}, ranks)); };
  CHECK(sizes(60) == Sizes{4, 3, 5});
  CHECK(sizes(24) == Sizes{4, 3, 2});
  CHECK(sizes(12) == Sizes{4, 3});
  CHECK(sizes(8) == Sizes{4, 2});
  CHECK(sizes(4) == Sizes{4});
  CHECK(sizes(3) == Sizes{3});
  for (const std::int32_t uneven : {6, 16, 20, 30}) {
    CHECK_THROWS_WITH(sizes(uneven), Contains("does not fill whole groups of 4"));
  }
  for (const std::int32_t wrong : {-1, 0, 1, 61, 120}) {
    CHECK_THROWS_WITH(sizes(wrong), Contains("the platform has 60 NPUs"));
  }
  // The innermost level stays inside the node even when it is the only one left.
  CHECK(load_cluster(file, {}, 4).topology.levels[0].scope == Scope::local);
}

TEST_CASE("ranks resize a platform that is named") {
  const Folder folder;
  const auto sizes = [&](const std::string& platform) {
    return level_sizes(load_cluster(folder.write("p.yaml", "platform: " + platform + "\n"), {}));
  };
  CHECK(sizes("{file: dgx-h100-superpod}") == Sizes{8, 32});
  CHECK(sizes("{file: dgx-h100-superpod, ranks: 512}") == Sizes{8, 64});
  CHECK(sizes("{file: dgx-h100-superpod, ranks: 64}") == Sizes{8, 8});
  CHECK(sizes("{file: dgx-h100-superpod, ranks: 4}") == Sizes{4});
  CHECK_THROWS_WITH(sizes("{file: dgx-h100-superpod, ranks: 516}"),
                    Contains("ranks: 516 are not whole groups of 8"));
  CHECK_THROWS_WITH(
      sizes("{file: dgx-h100-superpod, ranks: 20}"),
      Contains("ranks: 20 does not fill whole groups of 8") && Contains("write 16 or 24"));
  CHECK_THROWS_WITH(sizes("{file: polaris, ranks: 1000000}"), Contains("does not grow by itself"));
}

TEST_CASE("elements of a list are changed beside the file, by name or number") {
  const Folder folder;
  const auto fabric = [&](const std::string& change) {
    return load_cluster(folder.write("p.yaml",
                                     "platform: {file: dgx-h100-superpod, topology: "
                                     "{levels: " +
                                         change + "}}\n"),
                        {})
        .topology.levels.at(1);
  };
  CHECK(fabric("{fabric: {bandwidth: 800 Gb/s}}").bandwidth == gigabits_per_second(800));
  CHECK(fabric("{fabric: {bandwidth: 800 Gb/s}}").size == 32);
  CHECK(fabric("{1: {size: 4}}").size == 4);
  CHECK_THROWS_WITH(fabric("{fabrik: {size: 4}}"), Contains("the list has no element \"fabrik\""));
  CHECK(load_cluster("dgx-h100-superpod", {{"platform.topology.levels.fabric.size=4"}})
            .topology.levels[1]
            .size == 4);
}

TEST_CASE("every bundled efficiency loads and says where it comes from") {
  const auto files = yaml::bundled_efficiencies();
  CHECK(files.size() >= 1);
  for (const yaml::BundledFile& file : files) {
    INFO(file.name);
    CHECK(!describe_efficiency(file.file).empty());
  }
}

TEST_CASE("an efficiency is found by name, and what stands beside it goes before it") {
  const Folder folder;
  fs::create_directories(folder.path() + "/platforms/efficiency");
  folder.write("platforms/efficiency/half.yaml",
               "description: half of all\nmatrix: 50 %\nmemory: 50 %\nlaunch: 3 us\n");
  const std::string file = folder.write("cluster.yaml", R"(platform:
  npu: {preset: a100, efficiency: {preset: half, memory: 70 %}}
  topology:
    levels:
      - {kind: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}
)");
  setenv("ORRERY_PATH", folder.path().c_str(), 1);
  const EfficiencySpec efficiency = load_cluster(file, {}).npu.efficiency;
  CHECK(efficiency.matrix == Share{50, 100});
  CHECK(efficiency.memory == Share{70, 100});
  CHECK(efficiency.launch == microseconds(3));
  CHECK(efficiency.issue == Duration{});
  // An option names another value of the same file, or another file.
  CHECK(load_cluster(file, {{"platform.npu.efficiency.launch=4 us"}}).npu.efficiency.launch ==
        microseconds(4));
  CHECK_THROWS_WITH(load_cluster(file, {{"platform.npu.efficiency.preset=halv"}}),
                    Contains("did you mean \"half\"?"));
  unsetenv("ORRERY_PATH");
}
