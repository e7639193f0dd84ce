// Remedies that are of the key's own place, and what a name in the place of `routing` means.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/config_error.h"
#include "frontends/yaml/load_experiment.h"
#include "frontends/yaml/load_traffic.h"
#include "frontends/yaml/searched_experiment.h"
#include "tests/paths.h"

namespace orrery {
namespace {

Experiment four_npus(const std::string& setting) {
  return load_experiment(source_folder() + "/tests/frontends/yaml/good/minimal.yaml", {{setting}});
}

std::string remedy_of(const std::string& setting) {
  try {
    four_npus(setting);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

// Who names a policy that chooses for each packet wants packets.
TEST_CASE("a policy stands for the routes, and packets for a policy of packets") {
  const NetworkSpec spray = four_npus("network={routing: spray}").network;
  CHECK(spray.routing.policy == RoutingPolicy::spray);
  for (const char* policy : {"adaptive", "drill"}) {
    const NetworkSpec network = four_npus(fmt::format("network={{routing: {}}}", policy)).network;
    CHECK(network.backend == "packet");
    CHECK_THAT(remedy_of(fmt::format("network={{backend: fluid, routing: {}}}", policy)),
               Catch::Contains("is a choice for each packet, and fluid has none"));
  }
}

// One mistake, one message, though `search` wants a workload.
TEST_CASE("where a job is read, traffic names the command that takes it") {
  const std::string file = build_folder() + "/flows_for_coll.yaml";
  std::ofstream(file) << "platform: {levels: [{size: 4, bandwidth: 1 GB/s, latency: 1 us}]}\n"
                         "traffic: {flows: {sizes: websearch, load: 0.5}}\n";
  const std::string wanted =
      file +
      ":2:1: error: unknown key \"traffic\": flows are no workload: orrery traffic FILE "
      "simulates them";
  const auto message = [&](auto load) -> std::string {
    try {
      load();
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  const std::string searched = message([&] { SearchedExperiment(file, {}); });
  CHECK_THAT(searched, Catch::StartsWith(wanted) && !Catch::Contains("missing"));
}

TEST_CASE("remedies are of the key's own place") {
  CHECK_THAT(remedy_of("network={slow: [{npus: 3, rate: 10 Gb/s}]}"),
             Catch::Contains("unknown key \"npus\": did you mean \"npu\"?"));
  CHECK_THAT(
      remedy_of("network={faults: [{at: 0 s, link: a - b, state: slow, bandwidth: 1 Gb/s}]}"),
      Catch::Contains("state: degraded"));
}

std::string written(const std::string& name, const std::string& text) {
  const std::string path = build_folder() + "/" + name;
  std::ofstream(path) << text;
  return path;
}

// The batch is assumed where a file is right, so what is wrong here is the key.
TEST_CASE("a search names the key that is wrong, and no other") {
  const std::string file = written("remedies_test_search.yaml",
                                   "platform: {nodes: 4, server: hgx-h100}\n"
                                   "workload: {model: llama-3-8b, training: {globalbatch: 128}}\n");
  try {
    const SearchedExperiment searched(file, {});
    FAIL("the key is not known");
  } catch (const ConfigError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    CHECK_THAT(error.what(), Catch::Contains("unknown key \"globalbatch\"") &&
                                 Catch::Contains("did you mean \"global_batch\"?"));
  }
}

TEST_CASE("the platform of a file with flows can be looked at") {
  const Experiment cluster = load_cluster(written("remedies_test_traffic.yaml",
                                                  "platform: {nodes: 4, server: hgx-h100}\n"
                                                  "traffic: {flows: {pattern: permutation}}\n"),
                                          {});
  CHECK(Topology(cluster.topology).npu_count() == 32);
}

// The backend is chosen after the file is read, and only then is it known whose keys have no
// effect.
TEST_CASE("keys of TCP are idle beside flows over RoCE") {
  const auto needs_of = [](const std::string& transport) {
    const TrafficExperiment loaded =
        load_traffic(written("remedies_test_idle.yaml",
                             "platform: {nodes: 4, server: hgx-h100}\n"
                             "network: {transport: {kind: " +
                                 transport +
                                 ", mtu: 1500 B}}\n"
                                 "traffic: {flows: {sizes: 1 MB, load: 0.3}}\n"),
                     {});
    for (const GivenSetting& setting : loaded.experiment.network.given)
      if (setting.path == "network.transport.mtu") return setting.needs;
    return std::string("not given");
  };
  CHECK(needs_of("roce") == "network.transport.kind: tcp");
  CHECK(needs_of("tcp").empty());
}

}  // namespace
}  // namespace orrery
