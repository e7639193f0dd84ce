// platform.topology in its other forms, network.routing and network.faults.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "core/base/config_error.h"
#include "frontends/yaml/load_experiment.h"
#include "network/routing/router.h"
#include "tests/paths.h"

namespace orrery {
namespace {

std::string in_file(const std::string& name, const std::string& text) {
  const std::filesystem::path folder = build_folder() + "/topology_keys";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name) << text;
  return (folder / name).string();
}

Experiment load_topology(const std::string& topology, const std::string& network = "") {
  return load_cluster(
      in_file("cluster.yaml", "platform:\n  topology:\n    " + topology + "\n" + network), {});
}

std::string problems(const std::string& topology, const std::string& network = "") {
  try {
    load_topology(topology, network);
  } catch (const ConfigError& error) {
    std::string text;
    for (const Diagnostic& one : error.diagnostics())
      text += std::to_string(one.line) + ": " + one.path + ": " + one.what + "\n";
    return text;
  }
  return "none";
}

constexpr const char* tree =
    "fat_tree: {radix: 4, bandwidth: [100 Gb/s, 200 Gb/s, 400 Gb/s], latency: 0.5 us}";

TEST_CASE("a fat tree is built, with a bandwidth for each tier") {
  const Topology topology(load_topology(tree).topology);
  CHECK_FALSE(topology.structural());
  CHECK(topology.npu_count() == 16);
  CHECK(topology.levels()[2].name == "core");
  for (const Link& link : topology.links())
    CHECK(link.bandwidth == gigabits_per_second(100) * (1 << link.level));
}

TEST_CASE("a torus is short for levels") {
  const Topology topology(
      load_topology(
          "torus: {sizes: [4, 3], kinds: [ring, mesh], bandwidth: 1 GB/s, latency: [1 us, 2 us]}")
          .topology);
  CHECK(topology.structural());
  CHECK(topology.levels()[1].kind == LevelKind::mesh);
  CHECK(topology.levels()[1].latency == microseconds(2));
}

// Eight servers of eight NPUs are 64, joined inside by the links of the data sheet.
TEST_CASE("a name stands for the server that is plugged in") {
  const TopologySpec named =
      load_topology("rail: {nodes: 8, bandwidth: 400 Gb/s, latency: 1 us, node: hgx-h100}")
          .topology;
  CHECK(Topology(named).npu_count() == 64);
  REQUIRE(named.levels.front().size == 8);
  CHECK(named.levels.front().bandwidth == gigabytes_per_second(450));
  const TopologySpec smaller = load_topology(
                                   "rail: {nodes: 8, bandwidth: 400 Gb/s, latency: 1 us, "
                                   "node: {preset: hgx-h100, npus: 4, nics: 2}}")
                                   .topology;
  CHECK(Topology(smaller).npu_count() == 32);
  CHECK_THAT(problems("rail: {nodes: 8, bandwidth: 400 Gb/s, latency: 1 us, node: hgx-h10}"),
             Catch::Contains("platform.topology.rail.node"));
}

// Eight ConnectX-7 of 400 Gb/s, 50 GB/s, are plugged in; the device is an H100.
TEST_CASE("a server that is named brings its NICs and its device") {
  const Experiment named = load_topology("rail: {nodes: 4, node: hgx-h100}");
  REQUIRE(named.topology.levels.size() == 2);
  CHECK(named.topology.levels[1].bandwidth == gigabits_per_second(400));
  CHECK(named.npu.preset == "h100");
  CHECK(named.npu.peak == teraflops_per_second(989));
  CHECK(load_topology("rail: {nodes: 4, node: hgx-h100, bandwidth: 1 GB/s}")
            .topology.levels[1]
            .bandwidth == gigabytes_per_second(1));
  CHECK(load_topology("rail: {nodes: 4, node: hgx-h100}\n  npu: h200").npu.preset == "h200");
  // The knob that `why` names changes the server's device, and makes no other of it.
  const NpuSpec faster =
      load_topology("rail: {nodes: 4, node: hgx-h100}\n  npu: {peak: 1 PFLOP/s}").npu;
  CHECK(faster.preset == "h100");
  CHECK(faster.peak == teraflops_per_second(1000));
  CHECK(faster.memory_bandwidth == named.npu.memory_bandwidth);
  // No data sheet says which NICs: those of 400 Gb/s that clouds build in.
  CHECK(load_topology("rail: {nodes: 4, node: mi300x-platform}").topology.levels[1].bandwidth ==
        gigabits_per_second(400));
  CHECK_THAT(problems("rail: {nodes: 4}"), Catch::Contains("the key \"bandwidth\" is missing"));
}

// 32 servers of 8 NICs are 256 ports, 16 of each of 16 leaves; 4:1 are 4 uplinks as wide, or 2 of
// twice the width. 3:1 would be 5.33, so 6. 31 servers on 4 leaves are up to 8 on each, 64 ports:
// 3:1 are 21.33, so 22.
TEST_CASE("a leaf-spine is sized by its servers and its oversubscription") {
  const auto spines = [](const std::string& rest) {
    const Topology topology(
        load_topology("leaf_spine: {nodes: 32, node: hgx-h100, leaves: 16, " + rest + "}")
            .topology);
    CHECK(topology.npu_count() == 256);
    std::int32_t found = 0;
    for (std::int32_t n = topology.npu_count(); n < topology.node_count(); ++n)
      found += topology.node_name({n}).starts_with("spine");
    return found;
  };
  CHECK(spines("oversubscription: 4") == 4);
  CHECK(spines("oversubscription: 4, uplink_bandwidth: 800 Gb/s") == 2);
  CHECK(spines("spines: 7") == 7);
  CHECK(spines("plugs: 16") == 16);
  const std::string servers = "leaf_spine: {nodes: 32, node: hgx-h100, leaves: 16, ";
  CHECK(spines("oversubscription: 3") == 6);
  const Topology uneven(
      load_topology("leaf_spine: {nodes: 31, node: hgx-h100, leaves: 4, oversubscription: 3}")
          .topology);
  CHECK(uneven.npu_count() == 248);
  CHECK(uneven.node_name({uneven.node_count() - 1}) == "spine21");
  const NodeId leaf{uneven.node_count() - 22 - 1};  // the last one: 7 servers
  CHECK(uneven.node_name(leaf) == "leaf3");
  CHECK(std::ranges::count(uneven.links(), leaf, &Link::from) == 7 * 8 + 22);
  CHECK_THAT(problems(servers + "oversubscription: 2, spines: 8}"),
             Catch::Contains("it follows from plugs, spines"));
}

// 128 ports of 16 servers on leaves of 64 ports. At 1:1 half of a leaf's ports lead up: 32 down, 4
// leaves. At 2:1 five servers have 40 ports and 20 uplinks, six would need 48 + 24 = 72 ports: 4
// leaves, so 4 servers each, 32 down and 16 up. At 3:1 six servers have 48 + 16 = 64, but 16 do not
// divide by 6: rather 4 leaves of 4 servers, which need 32/3 = 10.67 uplinks: 11. Of 31 servers at
// 4:1 one a leaf would divide: rather 6 leaves of up to 6 (48 + 12 ports). Four servers at 8:1
// would fit on one leaf, on which nothing is oversubscribed: 2 leaves of 2, 16 down and 2 up.
TEST_CASE("a leaf-spine without a number of leaves has as few as its ports allow") {
  const auto switches = [](const std::string& rest, int nodes = 16) {
    const std::string servers = "leaf_spine: {node: hgx-h100, nodes: " + std::to_string(nodes);
    const Topology topology(load_topology(servers + rest + "}").topology);
    CHECK(topology.npu_count() == 8 * nodes);
    std::pair<int, int> found;
    for (std::int32_t n = topology.npu_count(); n < topology.node_count(); ++n) {
      found.first += topology.node_name({n}).starts_with("leaf");
      found.second += topology.node_name({n}).starts_with("spine");
    }
    return found;
  };
  CHECK(switches("") == std::pair(4, 32));
  CHECK(switches(", oversubscription: 2") == std::pair(4, 16));
  CHECK(switches(", oversubscription: 3") == std::pair(4, 11));
  CHECK(switches(", oversubscription: 4", 31) == std::pair(6, 12));
  CHECK(switches(", oversubscription: 8", 4) == std::pair(2, 2));
  CHECK(switches(", radix: 128") == std::pair(2, 64));
  CHECK_THAT(problems("leaf_spine: {nodes: 16, node: hgx-h100, radix: 8}"),
             Catch::Contains("no leaf of 8 ports has room"));
}

constexpr const char* graph = R"(graph:
      nodes:
        - {name: s, kind: switch}
        - {name: a, kind: npu}
        - {name: b, kind: npu}
      links:
        - {from: a, to: s, bandwidth: 1 GB/s, latency: 1 us}
        - {from: s, to: b, bandwidth: 2 GB/s, cost: 3})";

TEST_CASE("a graph is written out, NPUs in their order first") {
  const Topology topology(load_topology(graph).topology);
  CHECK(topology.npu_count() == 2);
  CHECK(topology.node_name({0}) == "a");
  CHECK(topology.node_name({2}) == "s");
  REQUIRE(topology.links().size() == 4);
  CHECK(topology.links()[2].cost == 3);
  CHECK(topology.links()[0].latency == microseconds(1));
  CHECK(topology.links()[3].latency == nanoseconds(500));  // of any link, where not given
  CHECK(topology.link_name(3) == "b -> s");
}

TEST_CASE("faults and routes find links by the names of their ends") {
  const std::string routes = in_file("routes.csv", "# from, to, via\na, b, s\n");
  const Experiment experiment = load_topology(graph, R"(network:
  routing: {policy: weighted_ecmp, reroute_delay: 2 us, routes: )" +
                                                         routes +
                                                         R"(}
  faults:
    - {at: 1 ms, link: "a -> s", state: down}
    - {at: 2 ms, link: "b - s", state: degraded, bandwidth: 1 GB/s}
    - {at: 3 ms, node: s, state: down}
)");
  const RoutingSpec& routing = experiment.network.routing;
  CHECK(routing.policy == RoutingPolicy::weighted_ecmp);
  CHECK(routing.reroute_delay == microseconds(2));
  REQUIRE(routing.routes.size() == 1);
  CHECK(routing.routes[0].links == std::vector<LinkIndex>{0, 2});
  REQUIRE(routing.faults.size() == 4);
  CHECK(routing.faults[0].link == LinkIndex{0});
  CHECK(routing.faults[1].link == LinkIndex{3});
  CHECK(routing.faults[2].link == LinkIndex{2});
  CHECK(routing.faults[3].node == NodeId{2});
}

TEST_CASE("an empty list of faults is none, which a sweep may compare with some") {
  CHECK(load_topology(tree, "network: {backend: fluid, faults: []}\n")
            .network.routing.faults.empty());
}

// PCIe 4.0 of an L40S: 32 GB/s. What NVLink there is nobody knows but the user.
TEST_CASE("a server without NVLink is told what else joins its NPUs") {
  const std::string servers =
      "leaf_spine: {nodes: 2, spines: 1, bandwidth: 200 Gb/s, node: {npus: 8, nics: 2, ";
  const auto remedy = [&](const std::string& of_node) -> std::string {
    try {
      return load_topology(servers + of_node + "}}").name;
    } catch (const ConfigError& error) {
      return error.what();
    }
  };
  const std::string told = remedy("bus_bandwidth: 32 GB/s");
  CHECK_THAT(told, Catch::Contains("bandwidth: 32 GB/s if they meet over PCIe, or inside: none"));
  CHECK(load_topology(servers + "bus_bandwidth: 32 GB/s, inside: none}}").topology.levels.size() >
        1);
}

TEST_CASE("an HPCC file is a platform") {
  const std::string file = in_file("t.txt", "3 1 2\n2\n0 2 100Gbps 500ns 0\n1 2 100Gbps 500ns 0\n");
  CHECK(Topology(load_topology("hpcc: " + file).topology).npu_count() == 2);
}

TEST_CASE("a platform of so many ranks leaves the others' links out") {
  const Experiment whole = load_topology(tree);
  const Experiment part = load_cluster(
      in_file("cluster.yaml", std::string("platform:\n  topology:\n    ") + tree), {}, 8);
  const Topology topology(part.topology);
  CHECK(topology.npu_count() == 8);
  CHECK(topology.links().size() == Topology(whole.topology).links().size() - 16);
  Router router(topology, {});
  std::vector<LinkIndex> links;
  CHECK(router.path({0}, {7}, 0, links));
}

TEST_CASE("what is wrong with a topology is said where it stands") {
  CHECK(problems("torus: {sizes: [4], kinds: switch, bandwidth: 1 GB/s, latency: 1 us}") ==
        "3: platform.topology.torus.kinds: \"switch\" is no dimension of a torus\n");
  CHECK(problems("fat_tree: {radix: 5, bandwidth: 1 GB/s, latency: 1 us}") ==
        "3: platform.topology.fat_tree.radix: 5 ports cannot be 1 down for 1 up\n");
  CHECK(problems("fat_tree: {radix: 4, nodes: 17, bandwidth: 1 GB/s, latency: 1 us}") ==
        "3: platform.topology.fat_tree.nodes: 17 nodes of 1 plugs do not fit into 16 ports\n");
  CHECK(
      problems("rail: {nodes: 4, bandwidth: 1 GB/s, latency: 1 us, node: {npus: 2, nics: 2, "
               "bandwidth: 1 GB/s}}") ==
      "3: platform.topology.rail.node.bus_bandwidth: the links between NPUs and NICs have none\n");
  CHECK(problems("rail: {}\n    hpcc: x") != "none");
  CHECK(problems(std::string(graph) +
                 "\n        - {from: a, to: t, bandwidth: 1 GB/s, latency: 1 us}") ==
        "11: platform.topology.graph.links[2]: there is no node \"t\"\n");
  CHECK(problems(graph, "network: {routing: {policy: dimension_order}}\n") ==
        "11: network.routing.policy: the platform is a graph and has no dimensions\n");
  CHECK(problems(graph, "network: {faults: [{at: 1 ms, link: a -> b, state: down}]}\n") ==
        "11: network.faults[0]: there is no link \"a -> b\"\n");
  CHECK(problems(graph, "network: {faults: [{at: 1 ms, node: s, state: degraded}]}\n") ==
        "11: network.faults[0]: only a link can be degraded\n");
  CHECK(problems(graph, "network: {faults: [{at: 1 ms, link: 0, state: degraded}]}\n") ==
        "11: network.faults[0]: a bandwidth and the state degraded belong together\n");
}

// 2 + 1 and 1 + 1 divide what 6 divides. 66 is the next after 64, which nobody wrote.
TEST_CASE("the remedy of a radix serves all tiers at once") {
  const auto error = [](const std::string& radix,
                        const std::string& ratios = "[1, 2]") -> std::string {
    try {
      load_topology("fat_tree: {" + radix + "oversubscription: " + ratios +
                    ", bandwidth: 1 GB/s, latency: 1 us}");
    } catch (const ConfigError& wrong) {
      return wrong.diagnostics().front().remedy;
    }
    return "none";
  };
  CHECK(error("") == "make it a multiple of 6, for example 66 (without it, it is 64)");
  CHECK(error("radix: 9, ") == "make it a multiple of 6, for example 12 (without it, it is 64)");
  CHECK(error("radix: 4, ", "[4, 1]") ==
        "make it a multiple of 10, for example 10 (without it, it is 64)");
  CHECK(error("radix: 12, ") == "none");
}

TEST_CASE("bundled graphs are connected") {
  for (const char* name : {"polaris", "tg40", "tg80", "dgx-h100-rail"}) {
    INFO(name);
    const Topology topology(load_cluster(name, {}).topology);
    Router router(topology, {});
    std::vector<LinkIndex> links;
    CHECK(router.path({0}, {topology.npu_count() - 1}, 0, links));
  }
}

// All random choices follow the experiment's seed, unless one is given for the hash alone.
TEST_CASE("the hash of routes is drawn by the experiment's seed") {
  CHECK(load_topology(tree).network.routing.seed == 1);
  CHECK(load_topology(tree, "seed: 7\n").network.routing.seed == 7);
  CHECK(load_topology(tree, "seed: 7\nnetwork: {routing: {seed: 3}}\n").network.routing.seed == 3);
}

}  // namespace
}  // namespace orrery
