// Remedies that are of the key's own place, and what a name in the place of `routing` means.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/config_error.h"
#include "frontends/yaml/load_experiment.h"
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
TEST_CASE("where a job or a platform is read, traffic names the command that takes it") {
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
  CHECK_THAT(message([&] { load_cluster(file, {}, {}); }), Catch::StartsWith(wanted));
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

}  // namespace
}  // namespace orrery
