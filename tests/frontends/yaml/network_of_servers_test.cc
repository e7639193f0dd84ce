// A platform of so many servers: `platform: {nodes: 16, server: hgx-h100}`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "core/base/config_error.h"
#include "frontends/yaml/load_experiment.h"
#include "network/topology/builders/server_presets.h"
#include "network/topology/topology.h"
#include "tests/paths.h"

namespace orrery {
namespace {

Experiment on_platform(const std::string& platform, const std::string& more = "seed=1") {
  return load_experiment(source_folder() + "/tests/frontends/yaml/good/minimal.yaml",
                         {{"platform=" + platform}, {more}});
}

std::string error_of(const std::string& platform) {
  try {
    on_platform(platform);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

// As `orrery explain FILE` shows it; "" if the experiment has no such key.
std::string value_of(const Experiment& experiment, const std::string& key) {
  const auto found = std::ranges::find(experiment.resolved, key, &ResolvedValue::path);
  return found == experiment.resolved.end() ? "" : found->value;
}

std::int32_t npus_of(const Experiment& experiment) {
  return Topology(experiment.topology).npu_count();
}

TEST_CASE("so many servers are a network by rails, which the head of the report names") {
  const Experiment bought = on_platform("{nodes: 16, server: DGX H100}");
  const Experiment written = on_platform("{topology: {rail: {nodes: 16, node: hgx-h100}}}");
  CHECK(npus_of(bought) == 128);
  CHECK(npus_of(bought) == npus_of(written));
  CHECK(bought.npu.preset == "h100");
  CHECK(value_of(bought, "platform.topology.rail.nodes") == "16");
  CHECK(value_of(bought, "platform.topology.rail.node.preset") == "hgx-h100");
  CHECK(bought.network_chosen == "rails, ASSUMED");
  CHECK(written.network_chosen.empty());
}

TEST_CASE("a taper makes leaves and spines of it, and a NIC its links") {
  const Experiment bought =
      on_platform("{nodes: 32, server: hgx-h200, oversubscription: 2, nic: 200 Gb/s}");
  CHECK(value_of(bought, "platform.topology.leaf_spine.oversubscription") == "2");
  CHECK(value_of(bought, "platform.topology.leaf_spine.bandwidth") == "25 GB/s");
  CHECK(bought.network_chosen == "8 leaves and 16 spines, ASSUMED");
}

TEST_CASE("servers is another name of nodes") {
  for (const char* platform :
       {"{servers: 16, npu: h100}", "{servers: 16, server: hgx-h100, oversubscription: 2}",
        "{npu: h100, leaf_spine: {servers: 16, node: hgx-h100}}",
        "{servers: 16, npu: h100, fat_tree: {radix: 32}}"}) {
    CAPTURE(platform);
    CHECK(npus_of(on_platform(platform)) == 128);
  }
  CHECK(npus_of(on_platform("{servers: 16, npu: h100}", "platform.servers=4")) == 32);
  CHECK(npus_of(on_platform("{npu: h100, leaf_spine: {servers: 16, node: hgx-h100}}",
                            "platform.leaf_spine.servers=4")) == 32);
  CHECK_THAT(error_of("{servers: 16, nodes: 8, npu: h100}"),
             Catch::Contains("unknown key \"servers\""));
}

// Each of 72 has its own NIC; four cards of a P4d serve two of its eight NPUs each.
TEST_CASE("fewer NPUs of a server keep their NICs") {
  const Experiment racks =
      on_platform("{nodes: 4, server: {preset: gb200-nvl72, npus: 64}, nic: 400 Gb/s}");
  CHECK(npus_of(racks) == 256);
  CHECK(value_of(racks, "platform.topology.rail.node.nics") == "64");
  CHECK(npus_of(on_platform("{nodes: 4, server: {preset: gb200-nvl72, npus: 64}}")) == 256);
  const Experiment half = on_platform("{nodes: 4, server: {preset: p4d, npus: 4}}");
  CHECK(value_of(half, "platform.topology.rail.node.nics") == "2");
  for (const char* server : {"npu: h100, server: {npus: 4}", "server: {preset: h100, npus: 4}",
                             "npu: h100, server: {npus: 4, nics: 4}"}) {
    const Experiment of_four = on_platform(fmt::format("{{nodes: 4, {}}}", server));
    CHECK(npus_of(of_four) == 16);
    CHECK(value_of(of_four, "platform.topology.rail.node.preset") == "hgx-h100");
    CHECK(value_of(of_four, "platform.topology.rail.node.nics") == "4");
    CHECK(value_of(of_four, "platform.topology.rail.node.bandwidth") == "450 GB/s");
  }
  CHECK_THAT(error_of("{nodes: 4, npus_per_node: 4, npu: h100, fabric: fat_tree}"),
             Catch::Contains("server: {npus: 4}") && Catch::Contains("topology: fat_tree"));
  CHECK_THAT(error_of("{leaf_spine: {nodes: 4, node: {preset: gb200-nvl72, npus: 64, nics: 72}}}"),
             Catch::Contains("72 NICs for 64 NPUs") && Catch::Contains("or nics: 64 in a node"));
}

// 48 NPUs are six servers of eight, 96 are twelve, also where an option says so.
TEST_CASE("an option sets ranks as the file would") {
  const std::string of_six = "platform={ranks: 48, server: hgx-h200}";
  const auto npus = [&](const char* option) {
    return npus_of(load_experiment(source_folder() + "/tests/frontends/yaml/good/minimal.yaml",
                                   {{of_six}, {option}}));
  };
  CHECK(npus("platform.ranks=96") == 96);
  CHECK(npus("platform.ranks=24") == 24);
  CHECK(npus("platform.nodes=3") == 24);
}

// Two NICs of a server of eight, 400 Gb/s each: 16 servers plug in 32.
TEST_CASE("a NIC may say how many a server has") {
  for (const std::string network : {"rail", "leaf_spine"})
    for (const char* nic : {"2x400 Gb/s", "2 x 400 Gb/s"}) {
      const Experiment bought = on_platform("{npu: h100, nodes: 16, nic: " + std::string(nic) +
                                            ", topology: " + network + "}");
      const std::string written = "platform.topology." + network + ".";
      CHECK(npus_of(bought) == 128);
      CHECK(value_of(bought, written + "node.nics") == "2");
      CHECK(value_of(bought, written + "bandwidth") == "50 GB/s");
    }
  CHECK(value_of(on_platform("{server: hgx-h100, nodes: 16, nic: 2x400 Gb/s}"),
                 "platform.topology.rail.node.nics") == "2");
}

TEST_CASE("servers are named by their device, and by a platform that is one") {
  CHECK(value_of(on_platform("{nodes: 4, npu: b200}"), "platform.topology.rail.node.preset") ==
        "hgx-b200");
  CHECK(value_of(on_platform("{nodes: 4, file: dgx-h100}"), "platform.topology.rail.node.preset") ==
        "hgx-h100");
}

// Eight NICs of 200 Gb/s in a DGX A100 of either memory; EC2's p4d has four of 100 Gb/s.
TEST_CASE("the device of a server means NVIDIA's server of it, which the head names") {
  for (const auto& [device, server, npu] :
       {std::array{"a100", "hgx-a100", "a100"}, std::array{"a100-40gb", "hgx-a100", "a100"},
        std::array{"a100-80gb", "hgx-a100-80gb", "a100-80gb"}}) {
    const Experiment bought = on_platform(fmt::format("{{nodes: 12, server: {}}}", device));
    CHECK(value_of(bought, "platform.topology.rail.node.preset") == server);
    CHECK(value_of(bought, "platform.topology.rail.node.nics") == "8");
    CHECK(value_of(bought, "platform.topology.rail.bandwidth") == "25 GB/s");
    CHECK(bought.npu.preset == npu);
    CHECK(bought.network_chosen == fmt::format("rails of {}, ASSUMED", server));
  }
  const Experiment of_cloud = on_platform("{nodes: 12, server: p4d}");
  CHECK(value_of(of_cloud, "platform.topology.rail.node.nics") == "4");
  CHECK(of_cloud.network_chosen == "rails, ASSUMED");
}

TEST_CASE("an option changes the server that is named, by its own path and that of explain") {
  for (const char* platform : {"{nodes: 24, server: hgx-h100}", "{nodes: 24, npu: h100}"})
    for (const char* path : {"platform.server", "platform.topology.rail.node"}) {
      CAPTURE(platform, path);
      const Experiment faster = on_platform(platform, fmt::format("{}.bandwidth=900 GB/s", path));
      CHECK(npus_of(faster) == 192);
      CHECK(faster.npu.preset == "h100");
      CHECK(value_of(faster, "platform.topology.rail.node.preset") == "hgx-h100");
      CHECK(value_of(faster, "platform.topology.rail.node.bandwidth") == "900 GB/s");
      CHECK(value_of(faster, "platform.topology.rail.bandwidth") == "50 GB/s");
    }
  CHECK(
      value_of(on_platform(
                   "{nodes: 4, server: {preset: hgx-h100, bandwidth: 900 GB/s}, nic: 2x400 Gb/s}"),
               "platform.topology.rail.node.nics") == "2");
}

// Both remedies, pasted: two plugs of a NIC, each 200 Gb/s.
TEST_CASE("how fast and how many the NICs of servers are is told where it is written wrongly") {
  CHECK_THAT(error_of("{nodes: 6, server: hgx-h100, bandwidth: 200 Gbps}"),
             Catch::Contains("of the NICs of servers write platform.nic, as in nic: 200 Gb/s"));
  CHECK_THAT(error_of("{nodes: 2, server: hgx-h100, nics: 4}"),
             Catch::Contains("server: {preset: hgx-h100, nics: 4}"));
  CHECK(value_of(on_platform("{nodes: 6, server: hgx-h100, nic: 200 Gb/s}"),
                 "platform.topology.rail.bandwidth") == "25 GB/s");
  CHECK(value_of(on_platform("{nodes: 16, server: {preset: hgx-h100, nics: 4}}"),
                 "platform.topology.rail.node.nics") == "4");
}

TEST_CASE("one server is the platform of its name") {
  for (const char* platform : {"{server: h200}", "{nodes: 1, server: h200}"}) {
    const Experiment one = on_platform(platform);
    CHECK(npus_of(one) == 8);
    CHECK(one.npu.preset == "h200");
    CHECK(one.network_chosen.empty());
  }
  CHECK(npus_of(on_platform("{nodes: 1, npu: h200}")) == 8);
  CHECK_THAT(error_of("{nodes: 0, npu: h200}"), Catch::Contains("it must be from 1 to"));
  // A rack of 72, and eight of them.
  for (const char* rack : {"gb200-nvl72", "gb300-nvl72"}) {
    CHECK(npus_of(on_platform(fmt::format("{{nodes: 1, server: {}}}", rack))) == 72);
    CHECK(npus_of(on_platform(fmt::format("{{server: {}}}", rack))) == 72);
    CHECK(npus_of(on_platform(fmt::format("{{server: {}, ranks: 576}}", rack))) == 8 * 72);
  }
}

TEST_CASE("nodes change the number of servers of a network that has them") {
  const std::string network = "{topology: {rail: {nodes: 2, node: hgx-h100}}}";
  CHECK(npus_of(on_platform(network, "platform.nodes=4")) == 32);
  CHECK(npus_of(on_platform("{nodes: 2, server: h100}", "platform.nodes=4")) == 32);
}

// One server is a platform of its own: 8 H100, four of them 32. Ranks of the file counted the
// servers that there were.
TEST_CASE("one server becomes several where an option says so") {
  for (const char* one : {"{nodes: 1, server: hgx-h100}", "{server: hgx-h100}", "hgx-h100",
                          "{npu: h100, nodes: 1}", "{server: hgx-h100, ranks: 8}"}) {
    INFO(one);
    CHECK(npus_of(on_platform(one)) == 8);
    CHECK(npus_of(on_platform(one, "platform.nodes=4")) == 32);
    CHECK(npus_of(on_platform(one, "platform.servers=4")) == 32);
  }
  const std::string several = "{nodes: 4, server: hgx-h100}";
  CHECK(npus_of(on_platform(several, "platform.nodes=1")) == 8);
  CHECK(npus_of(on_platform("{server: hgx-h100}", "platform.server=gb200-nvl72")) == 72);
}

TEST_CASE("servers become keys of the network that is named beside them") {
  const std::string written = "platform.topology.leaf_spine.";
  for (const char* platform :
       {"{server: hgx-h100, nodes: 32, leaf_spine: {oversubscription: 2}}",
        "{nodes: 32, oversubscription: 2, leaf_spine: {}, server: hgx-h100}",
        "{server: hgx-h100, nodes: 32, oversubscription: 2, topology: leaf_spine}",
        "{npu: h100, nodes: 32, topology: {leaf_spine: {oversubscription: 2}}}",
        "{server: hgx-h100, leaf_spine: {oversubscription: 2, nodes: 32}}",
        "{leaf_spine: {node: hgx-h100, oversubscription: 2}, nodes: 32}"}) {
    CAPTURE(platform);
    const Experiment experiment = on_platform(platform);
    CHECK(npus_of(experiment) == 256);
    CHECK(experiment.npu.preset == "h100");
    CHECK(value_of(experiment, written + "oversubscription") == "2");
    CHECK(value_of(experiment, written + "node.preset") == "hgx-h100");
    CHECK(experiment.network_chosen.empty());
  }
  CHECK(npus_of(on_platform("{server: h100, nodes: 16, nic: 200 Gb/s, topology: rail}")) == 128);
  CHECK(npus_of(on_platform("{server: h100, nodes: 16, fat_tree: {radix: 32}}")) == 128);
  CHECK(on_platform("{server: mi300x, nodes: 16, topology: rail}").network_chosen ==
        "NICs of 400 Gb/s, ASSUMED");
}

// An HGX H100 and a p4d have 8 devices.
TEST_CASE("so many devices are the servers that have them") {
  for (const char* platform : {"{npu: h100, ranks: 512}", "{server: hgx-h100, ranks: 512}",
                               "{npu: h100, ranks: 512, leaf_spine: {oversubscription: 2}}"}) {
    CAPTURE(platform);
    const Experiment experiment = on_platform(platform);
    CHECK(npus_of(experiment) == 512);
    CHECK(experiment.npu.preset == "h100");
  }
  CHECK(npus_of(on_platform("{npu: h100, ranks: 8}")) == 8);
  CHECK(npus_of(on_platform("{server: p4d, ranks: 4}")) == 4);
  CHECK_THAT(error_of("{npu: h100, ranks: 100}"), Catch::Contains("platform.ranks: "));
}

// Three leaves of eight single A100, counted or not; 16 of them are two leaves.
TEST_CASE("so many devices change nothing of a network that has as many") {
  const std::string network = "leaf_spine: {leaves: 3, plugs: 8, spines: 2, bandwidth: 100 Gb/s}";
  const std::string tree = "fat_tree: {radix: 4, bandwidth: 100 Gb/s}";
  for (const auto& [of, npus] : {std::pair(network, 24), std::pair(tree, 16)}) {
    const Experiment open = on_platform("{npu: a100, " + of + "}");
    const Experiment counted = on_platform(fmt::format("{{npu: a100, ranks: {}, {}}}", npus, of));
    CHECK(npus_of(open) == npus);
    CHECK(npus_of(counted) == npus);
    CHECK(Topology(counted.topology).node_count() == Topology(open.topology).node_count());
    CHECK(value_of(counted, "platform.topology.leaf_spine.node.preset").empty());
  }
  CHECK(npus_of(on_platform("{npu: a100, ranks: 16, " + network + "}")) == 16);
  CHECK(value_of(on_platform("{server: hgx-a100, ranks: 24, " + network + "}"),
                 "platform.topology.leaf_spine.node.preset") == "hgx-a100");
}

TEST_CASE("one server has nothing to taper") {
  for (const char* more : {"oversubscription: 2", "nic: 200 Gb/s"})
    CHECK_THAT(error_of(fmt::format("{{nodes: 1, server: hgx-h100, {}}}", more)),
               Catch::Contains("one server has no network between servers: leave it out, or write "
                               "nodes: 2 or more"));
}

TEST_CASE("what the network beside servers has itself, or cannot have, is a mistake") {
  CHECK_THAT(error_of("{server: h100, nodes: 4, rail: {node: hgx-h200}}"),
             Catch::Contains("platform.server: rail has `node`, which says the same: keep one"));
  CHECK_THAT(error_of("{server: h100, nodes: 4, nic: 100 Gb/s, rail: {bandwidth: 200 Gb/s}}"),
             Catch::Contains("platform.nic: rail has `bandwidth`, which says the same: keep one"));
  CHECK(npus_of(on_platform("{server: h100, nodes: 4, nic: 100 Gb/s, leaf_spine: {leaves: 2, "
                            "uplink_bandwidth: 200 Gb/s}}")) == 32);
  for (const char* network : {"torus: 8x8x8", "dragonfly: {plugs: 2, routers: 4, globals: 2}"})
    CHECK_THAT(error_of(std::string("{server: h100, nodes: 64, ") + network + "}"),
               Catch::Contains("platform.nodes: `") && Catch::Contains("says how many there are"));
  CHECK_THAT(
      error_of("{server: h100, nodes: 4, oversubscription: 2, rail: {}}"),
      Catch::Contains("write platform.topology.leaf_spine or fat_tree, which have it; a rail "
                      "is tapered by fewer spines, or their spine_bandwidth"));
  CHECK(npus_of(on_platform("{server: h100, nodes: 16, rail: {nodes_per_leaf: 8, spines: 4, "
                            "spine_bandwidth: 200 Gb/s}}")) == 128);
  CHECK_THAT(error_of("{server: h100, nodes: many, rail: {}}"),
             Catch::Contains("platform.nodes: \"many\""));
  CHECK_THAT(error_of("{topology: leaf_spine}"), Catch::Contains("\"bandwidth\" is missing"));
}

// An MI300X platform is eight devices; NICs are the server builder's. 400 Gb/s are 50 GB/s.
TEST_CASE("a server that is sold without NICs has usual ones, and the head says so") {
  for (const char* platform : {"{nodes: 16, server: mi300x}", "{nodes: 16, npu: mi300x}"}) {
    const Experiment bought = on_platform(platform);
    CHECK(npus_of(bought) == 128);
    CHECK(bought.npu.preset == "mi300x");
    CHECK(value_of(bought, "platform.topology.rail.bandwidth") == "50 GB/s");
    CHECK(bought.network_chosen == "rails of mi300x-platform with 400 Gb/s, ASSUMED");
  }
  for (const char* node : {"mi300x-platform", "{preset: mi300x-platform}"}) {
    const Experiment named =
        on_platform(fmt::format("{{leaf_spine: {{node: {}, leaves: 2, plugs: 32}}}}", node));
    CHECK(npus_of(named) == 64);
    CHECK(value_of(named, "platform.topology.leaf_spine.bandwidth") == "50 GB/s");
    CHECK(named.network_chosen == "NICs of 400 Gb/s, ASSUMED");
  }
  const Experiment said = on_platform("{nodes: 16, server: mi300x, nic: 200 Gb/s}");
  CHECK(value_of(said, "platform.topology.rail.bandwidth") == "25 GB/s");
  CHECK(said.network_chosen == "rails of mi300x-platform, ASSUMED");
}

// Of 24 ports three go to each of the seven others, 3 x 200 Gb/s = 75 GB/s, and three to the
// network. All of it is 7 x 75 = 525 GB/s, as Intel's documentation sums it up. Gaudi 2 has half.
TEST_CASE("a Gaudi server is known, with the ports that leave it") {
  const Experiment servers = on_platform("{nodes: 4, npu: gaudi3}");
  CHECK(npus_of(servers) == 32);
  const auto preset = std::ranges::find(server_presets(), "hls-3", &ServerPreset::name);
  REQUIRE(preset != server_presets().end());
  CHECK(preset->server.link.bandwidth == gigabytes_per_second(75));
  CHECK(servers.topology.levels[1].bandwidth == gigabytes_per_second(75));
  CHECK(servers.network_chosen == "rails of hls-3, ASSUMED");
  CHECK(on_platform("{nodes: 4, server: hls-2}").topology.levels[1].bandwidth ==
        gigabits_per_second(300));
}

// The remedy of a device without a server, pasted.
TEST_CASE("a device of no known server is put into one by its values") {
  CHECK(npus_of(on_platform(
            "{npu: trn1, rail: {nodes: 64, node: {npus: 8, bandwidth: 450 GB/s, nics: 8, "
            "bus_bandwidth: 64 GB/s}, bandwidth: 400 Gb/s}}")) == 512);
}

// Keys that the file does not have, and that have become a topology, are no settings.
TEST_CASE("a platform has no keys of servers where a network is named, or made of them") {
  for (const char* platform :
       {"{nodes: 4, server: hgx-h100}", "{rail: {nodes: 4, node: hgx-h100}}"}) {
    const Experiment experiment = on_platform(platform);
    for (const char* key : {"nodes", "server", "nic", "oversubscription"})
      CHECK(value_of(experiment, std::string("platform.") + key).empty());
  }
}

// Both remedies, pasted. A rack plugs in 72 NICs: at 9:1 a leaf of it needs 8 ports more.
TEST_CASE("racks that are too large for a leaf are told how they fit") {
  CHECK_THAT(error_of("{nodes: 8, server: gb200-nvl72, oversubscription: 9}"),
             Catch::Contains("write leaf_spine: {leaves: 8}, a leaf for each server, or "
                             "leaf_spine: {radix: 80} or more"));
  for (const char* network : {"{leaves: 8}", "{radix: 80}"})
    CHECK(npus_of(on_platform(fmt::format("{{nodes: 8, server: gb200-nvl72, oversubscription: 9, "
                                          "leaf_spine: {}}}",
                                          network))) == 576);
}

TEST_CASE("remedies of servers are what can be written") {
  CHECK_THAT(error_of("{racks: 8, server: gb200-nvl72}"),
             Catch::Contains("unknown key \"racks\": write platform.nodes and platform.server"));
  CHECK_THAT(error_of("{servers: [{server: hgx-h100, nodes: 4}, {server: hgx-a100, nodes: 4}]}"),
             Catch::Contains("unknown key \"servers\": write how many, all of one kind"));
  // Two planes of 400 Gb/s for each of eight.
  CHECK_THAT(error_of("{nodes: 4, server: hgx-h100, nic: 16x400 Gb/s}"),
             Catch::Contains("write nic: 8x800 Gb/s instead of 16x400 Gb/s"));
  CHECK(value_of(on_platform("{nodes: 4, server: hgx-h100, nic: 8x800 Gb/s}"),
                 "platform.topology.rail.bandwidth") == "100 GB/s");
}

TEST_CASE("mistakes in servers are told by the keys of the file") {
  CHECK_THAT(error_of("{nodes: 4, server: hgx-h100, nic: 400}"),
             Catch::Contains("error: platform.nic: \"400\" has no unit"));
  CHECK_THAT(error_of("{nodes: 4, server: hgx-h100, oversubscription: 0}"),
             Catch::Contains("error: platform.oversubscription: "));
  CHECK_THAT(error_of("{nodes: 1.5, server: hgx-h100}"),
             Catch::Contains("error: platform.nodes: "));
  CHECK_THAT(error_of("{nodes: 4, server: hgx-h1000}"),
             Catch::Contains("error: platform.server: "));
  // What is written as it is read keeps its name.
  CHECK_THAT(error_of("{rail: {nodes: 4, node: hgx-h100, bandwidth: 400}}"),
             Catch::Contains("error: platform.topology.rail.bandwidth: "));
}

// 14 servers at 3:1: 7 leaves of 2, whose 16 ports need 5.33 uplinks, 6. H100 servers have NVLink
// of 450 GB/s, PCIe of 64 GB/s and NICs of 400 Gb/s.
TEST_CASE("what was chosen of a network of servers, and what a server brings, is told") {
  const Experiment experiment = on_platform("{nodes: 14, server: hgx-h100, oversubscription: 3}");
  CHECK(experiment.network_chosen == "7 leaves and 6 spines, ASSUMED");
  // 2 servers at 16:1: a leaf each, whose 8 ports need half an uplink, 1.
  CHECK(on_platform("{nodes: 2, server: hgx-h100, oversubscription: 16}").network_chosen ==
        "2 leaves and 1 spine, ASSUMED");
  const std::string network = "platform.topology.leaf_spine.";
  CHECK(value_of(experiment, network + "leaves") == "7");
  CHECK(value_of(experiment, network + "spines") == "6");
  CHECK(value_of(experiment, network + "node.bandwidth") == "450 GB/s");
  CHECK(value_of(experiment, network + "node.bus_bandwidth") == "64 GB/s");
  const auto bandwidth =
      std::ranges::find(experiment.resolved, network + "bandwidth", &ResolvedValue::path);
  REQUIRE(bandwidth != experiment.resolved.end());
  CHECK(bandwidth->origin == "preset hgx-h100");
  CHECK_THAT(
      error_of("{nodes: 20, server: hgx-a100, dragonfly: {plugs: 8, routers: 4, globals: 2}}"),
      Catch::Contains("NICs, one for each NPU, are plugs x routers x groups"));
}

// Down before up: 1:3 is a third, which would give each port down three ports up.
TEST_CASE("oversubscription is 1 or more") {
  for (const std::string network :
       {"oversubscription: ", "leaf_spine: {oversubscription: ", "fat_tree: {oversubscription: ",
        "fat_tree: {oversubscription: [1, "})
    for (const char* wrong : {"1:3", "1/3", "0.25", "0"}) {
      const std::size_t open = std::ranges::count(network, '{') + 1;
      const std::string list = network.ends_with("[1, ") ? "]" : "";
      CAPTURE(network, wrong);
      CHECK_THAT(error_of("{nodes: 14, server: hgx-h100, " + network + wrong + list +
                          std::string(open, '}')),
                 Catch::Contains("oversubscription") &&
                     Catch::Contains("from 1 to 4096: 3 or 3:1 (below 1, as 1:3 is"));
    }
  CHECK(value_of(on_platform("{nodes: 14, server: hgx-h100, oversubscription: 3:1}"),
                 "platform.topology.leaf_spine.oversubscription") == "3");
  CHECK(value_of(on_platform("{nodes: 14, server: hgx-h100, oversubscription: 1}"),
                 "platform.topology.leaf_spine.oversubscription") == "1");
}

TEST_CASE("what is not known of servers is asked for") {
  CHECK_THAT(error_of("{nodes: 64, npu: tpu-v4}"),
             Catch::Contains("no server has this device: platform: {file: trn2, ranks: 64}") &&
                 Catch::Contains("torus: 4x4x4 or, with your values, rail: {nodes: 64"));
  // Both remedies, pasted: a bundled platform, and a torus of TPUs.
  for (const char* device : {"trn2", "tpu-v5p"})
    CHECK_THAT(
        error_of(fmt::format("{{ranks: 64, npu: {}}}", device)),
        Catch::Contains("write platform: {file: trn2, ranks: 64} (orrery list platforms), or "
                        "torus: 4x4x4"));
  CHECK(npus_of(on_platform("{file: trn2, ranks: 64}")) == 64);
  CHECK(npus_of(on_platform("{npu: tpu-v5p, torus: 4x4x4}")) == 64);
  CHECK_THAT(error_of("{nodes: 64}"), Catch::Contains("write server: hgx-h100"));
  CHECK_THAT(error_of("{nodes: 4, server: hgx-h1000}"), Catch::Contains("did you mean"));
  CHECK_THAT(error_of("{npu: h100}"), Catch::Contains("one of the keys topology, nodes, torus, "));
  CHECK_THAT(error_of("{file: dgx-h100-superpod, nodes: 16}"), Catch::Contains("exclude"));
}

}  // namespace
}  // namespace orrery
