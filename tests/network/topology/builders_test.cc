// What the builders make, against the closed forms of the papers that the networks come from.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "network/crossing_bandwidth.h"
#include "network/routing/router.h"
#include "network/topology/builders/dragonfly.h"
#include "network/topology/builders/hyperx.h"
#include "network/topology/builders/rail.h"
#include "network/topology/builders/tree.h"
#include "network/topology/builders/written_graph.h"

namespace orrery {
namespace {

constexpr Wire kWire{gigabits_per_second(100), nanoseconds(500)};

struct Count {
  int npus = 0, nics = 0, switches = 0;
  std::size_t links = 0;  // both directions of a cable are two
  bool operator==(const Count&) const = default;
};

Count count(const Topology& topology) {
  Count count{.links = topology.links().size()};
  for (std::int32_t node = 0; node < topology.node_count(); ++node)
    switch (topology.node_kind({node})) {
      case NodeKind::npu:
        ++count.npus;
        break;
      case NodeKind::nic:
        ++count.nics;
        break;
      case NodeKind::switched:
        ++count.switches;
        break;
    }
  return count;
}

std::vector<LinkIndex> path(Router& router, std::int32_t from, std::int32_t to) {
  std::vector<LinkIndex> links;
  REQUIRE(router.path({from}, {to}, 0, links));
  return links;
}

std::size_t diameter(const Topology& topology) {
  Router router(topology, {});
  std::size_t most = 0;
  for (std::int32_t to = 1; to < topology.npu_count(); ++to)
    most = std::max(most, path(router, 0, to).size());
  return most;
}

std::vector<std::int32_t> sizes(const Topology& topology) {
  std::vector<std::int32_t> sizes;
  for (const LevelSpec& level : topology.levels()) sizes.push_back(level.size);
  return sizes;
}

NodeSpec server(std::int32_t npus, std::int32_t nics) {
  return {.npus = npus,
          .inside = NodeInside::switched,
          .link = {gigabytes_per_second(300), nanoseconds(500)},
          .nics = nics,
          .bus = {gigabytes_per_second(25), nanoseconds(300)},
          .affinity = {}};
}

// 56 links of a seventh of the bus: channels lie evenly over NICs that NPUs cannot share evenly.
TEST_CASE("each NPU takes all NICs of its server where some would have one alone") {
  const NodeSpec of_seven = server(8, 7);
  const std::int64_t part = of_seven.bus.bandwidth.value / 7;
  const Topology topology(build_tree({of_seven, {{"leaf", 14, 0, kWire}}}));
  std::map<std::int32_t, Bandwidth> at_nics, at_npus;
  for (const Link& link : topology.links())
    if (topology.node_kind(link.from) == NodeKind::npu &&
        topology.node_kind(link.to) == NodeKind::nic) {
      at_npus[link.from.value] += link.bandwidth;
      at_nics[link.to.value] += link.bandwidth;
    }
  CHECK(at_nics.size() == 14);
  for (const auto& [nic, all] : at_nics) CHECK(all.value == part * 8);
  for (const auto& [npu, all] : at_npus) CHECK(all.value == part * 7);
}

// M. Al-Fares et al., SIGCOMM 2008: k^3/4 hosts, 5k^2/4 switches, k^3/4 cables in each of three
// tiers, six links between hosts of different pods.
TEST_CASE("a k-ary fat tree has the hosts, switches and cables of its closed form") {
  for (const std::int32_t k : {4, 6, 8}) {
    const Topology topology(build_tree({{}, tiers_by_radix(k, 3, {}, kWire), 0}));
    const int hosts = k * k * k / 4;
    CHECK(count(topology) == Count{hosts, 0, 5 * k * k / 4, static_cast<std::size_t>(6 * hosts)});
    CHECK(diameter(topology) == 6);
    CHECK(sizes(topology) == std::vector<std::int32_t>{k / 2, k / 2, k});
    std::map<NodeId, int> ports;
    for (const Link& link : topology.links()) ++ports[link.from];
    for (const auto& [node, used] : ports)
      CHECK(used == (node.value < topology.npu_count() ? 1 : k));
    // Over all shortest paths between pods: (k/2)^2 ways.
    Router router(topology, {.policy = RoutingPolicy::spray});
    std::vector<LinkShare> shares;
    router.shares({0}, {hosts - 1}, shares);
    double least = 1;
    for (const LinkShare& share : shares) least = std::min(least, share.fraction);
    CHECK(least == Approx(4.0 / (k * k)));
  }
}

// 12 ports, 3 down for 1 up at the leaf: 9 down, 3 up; 12 leaves below a spine, 3 spines. 108
// hosts.
TEST_CASE("oversubscription divides the ports of a tier") {
  const Topology topology(build_tree({{}, tiers_by_radix(12, 2, {3}, kWire), 0}));
  CHECK(count(topology) == Count{108, 0, 12 + 3, 2 * (108 + 36)});
  CHECK(diameter(topology) == 4);
}

// Four tiers of radix 4: 2 x 2 x 2 x 4 = 32 hosts, 16 + 16 + 16 + 8 switches, 32 cables a tier.
TEST_CASE("a folded Clos of four tiers") {
  const Topology topology(build_tree({{}, tiers_by_radix(4, 4, {}, kWire), 0}));
  CHECK(count(topology) == Count{32, 0, 56, 2 * 4 * 32});
  CHECK(diameter(topology) == 8);
}

// 8 ports of a leaf hold 4 servers of two NICs; 3 of 4 leaves are needed for 10 servers.
TEST_CASE("a tree that is not full has the leaves that are needed, and one level of servers") {
  const Topology topology(
      build_tree({server(4, 2), {{"leaf", 8, 2, kWire}, {"spine", 4, 1, kWire}}, 10}));
  CHECK(count(topology).npus == 40);
  CHECK(count(topology).nics == 20);
  CHECK(count(topology).switches == 10 + 3 + 2);
  CHECK(sizes(topology) == std::vector<std::int32_t>{4, 10});
  Router router(topology, {});
  CHECK(path(router, 0, 1).size() == 2);   // through the server's switch, not a shared NIC
  CHECK(path(router, 0, 4).size() == 4);   // bus, leaf, bus
  CHECK(path(router, 0, 39).size() == 6);  // and a spine
}

TEST_CASE("NPUs reach the NIC that the affinity says") {
  NodeSpec node = server(4, 2);
  node.affinity = {1, 1, 0, 0};
  const Topology topology(
      build_rail({.node = node, .nodes = 2, .spines = 1, .wire = kWire, .spine_wire = kWire}));
  Router router(topology, {});
  const auto nic = [&](std::int32_t npu) {
    return topology.node_name(topology.links()[path(router, npu, 4 + npu)[0]].to);
  };
  CHECK(nic(0) == "n0.nic1");
  CHECK(nic(3) == "n0.nic0");
}

// 4 servers of 4, units of 2: 2 x 4 leaves, 3 spines. The same local index in a unit: bus, leaf,
// bus; everything else between servers goes over a spine.
TEST_CASE("in a rail-optimised network the same local index is one switch apart") {
  const RailSpec spec{.node = server(4, 4),
                      .nodes = 4,
                      .nodes_per_leaf = 2,
                      .spines = 3,
                      .wire = kWire,
                      .spine_wire = kWire};
  const Topology topology(build_rail(spec));
  CHECK(count(topology) == Count{16, 16, 4 + 8 + 3, 2 * (16 + 16 + 16 + 24)});
  CHECK(sizes(topology) == std::vector<std::int32_t>{4, 2, 2});
  Router router(topology, {});
  CHECK(path(router, 1, 5).size() == 4);
  CHECK(path(router, 1, 6).size() == 6);
  CHECK(path(router, 1, 9).size() == 6);
  RailSpec planes = spec;
  planes.spines = 0;
  CHECK(problem_of(planes)->key == "spines");
  planes.nodes_per_leaf = 0;
  const Topology apart(build_rail(planes));
  std::vector<LinkIndex> links;
  Router router_apart(apart, {});
  CHECK(router_apart.path({1}, {5}, 0, links));
  CHECK(router_apart.path({1}, {6}, 0, links));  // through another NPU
  CHECK(router_apart.relays());                  // another rail
}

// J. Kim et al., ISCA 2008: p = 2, a = 4, h = 2: 9 groups, 36 routers, 72 hosts; between any two
// groups one cable: 36; in a group 6: 54. Minimal routes: at most one global link, local before and
// after it.
TEST_CASE("a dragonfly has the groups and cables of its closed form, and minimal routes") {
  const Topology topology(build_dragonfly({.node = {},
                                           .plugs = 2,
                                           .routers = 4,
                                           .globals = 2,
                                           .plug_wire = kWire,
                                           .local_wire = kWire,
                                           .global_wire = kWire}));
  CHECK(count(topology) == Count{72, 0, 36, 2 * (72 + 54 + 36)});
  CHECK(sizes(topology) == std::vector<std::int32_t>{2, 4, 9});
  std::set<std::pair<std::int32_t, std::int32_t>> joined;
  std::map<NodeId, int> globals;
  for (const Link& link : topology.links())
    if (link.level == 2) {
      joined.emplace((link.from.value - 72) / 4, (link.to.value - 72) / 4);
      ++globals[link.from];
    }
  CHECK(joined.size() == 9 * 8);
  for (const auto& [router, links] : globals) CHECK(links == 2);
  Router minimal(topology, {}), valiant(topology, {.policy = RoutingPolicy::valiant});
  for (std::int32_t to = 1; to < 72; ++to) {
    int global = 0;
    const auto links = path(minimal, 0, to);
    for (const LinkIndex link : links) global += topology.links()[link].level == 2;
    CHECK(global == (to < 8 ? 0 : 1));
    CHECK(links.size() <= 5);
    std::vector<LinkIndex> around;
    REQUIRE(valiant.path({0}, {to}, 7, around));
    CHECK(around.size() <= 8);
  }
}

// J. Ahn et al., SC'09: 3 x 4 switches of 2 hosts; 12 x (2 + 3) / 2 = 30 cables between switches,
// one hop a dimension.
TEST_CASE("a HyperX joins all switches of a row") {
  const Topology topology(build_hyperx(
      {.node = {}, .plugs = 2, .sizes = {3, 4}, .plug_wire = kWire, .wires = {kWire}}));
  CHECK(count(topology) == Count{24, 0, 12, 2 * (24 + 30)});
  CHECK(diameter(topology) == 4);
  CHECK(sizes(topology) == std::vector<std::int32_t>{2, 3, 4});
}

TEST_CASE("what a builder cannot build it says, with the key and a remedy") {
  NodeSpec plain;
  plain.npus = 2;
  plain.affinity = {0, 0};
  CHECK(problem_of(plain)->key == "affinity");
  NodeSpec node = server(4, 2);
  node.affinity = {0, 0, 1, 2};
  CHECK(problem_of(node)->what == "there is no NIC 2");
  CHECK(problem_of(TreeSpec{{}, tiers_by_radix(4, 2, {}, kWire), 9})->key == "nodes");
  DragonflySpec dragonfly;
  dragonfly.groups = 4;  // two routers of one global link each join three
  CHECK(problem_of(dragonfly)->key == "groups");
}

// Three servers of 8 ports on leaves of 12 ports down and 4 up (radix 16, 3:1) fill two leaves,
// which the spines of the one pod join: no message reaches the core, and no level has its name.
TEST_CASE("servers that fill no whole leaves are a level of the tier that joins them") {
  FatTreeSpec spec;
  spec.node.npus = spec.node.nics = 8;
  spec.node.inside = NodeInside::switched;
  spec.node.link = spec.node.bus = {gigabytes_per_second(450), nanoseconds(200)};
  spec.radix = 16;
  spec.nodes = 3;
  spec.oversubscription = {3};
  spec.bandwidth = {gigabytes_per_second(50)};
  const Topology topology(build_fat_tree(spec));
  REQUIRE(topology.levels().size() == 2);
  CHECK(topology.levels()[1].name == "spine");
  CHECK(topology.levels()[1].size == 3);
}

// Two leaves of two NPUs, one of which has a NIC before its leaf, and a spine.
TEST_CASE("links of a written graph count under the level of the switch that they lead to") {
  WrittenGraph graph;
  for (const char* npu : {"a", "b", "c", "d"}) graph.nodes.push_back({npu, NodeKind::npu});
  graph.nodes.push_back({"nic", NodeKind::nic});
  for (const char* name : {"left", "right", "spine"})
    graph.nodes.push_back({name, NodeKind::switched});
  const std::pair<const char*, const char*> pairs[] = {
      {"a", "nic"},   {"nic", "left"},   {"b", "left"},     {"c", "right"},
      {"d", "right"}, {"left", "spine"}, {"right", "spine"}};
  for (const auto& [from, to] : pairs) graph.links.push_back({from, to, kWire});
  graph.groups = {2, 2};
  const Topology topology(build_graph(graph));
  for (const Link& link : topology.links()) {
    const bool at_spine =
        topology.node_name(link.from) == "spine" || topology.node_name(link.to) == "spine";
    CAPTURE(topology.node_name(link.from), topology.node_name(link.to));
    CHECK(link.level == (at_spine ? 1 : 0));
  }
}

// Servers of 8 NICs of 50 GB/s. 31 of them on 4 leaves of 64 ports at 3:1: a leaf has 22 uplinks,
// and the last one 7 servers, so that the servers are one level. The 64 NPUs of a leaf send 184/240
// of what they send to other servers over 22 x 50 GB/s: 22.418 GB/s each. 32 servers are levels of
// 8 servers and of 4 leaves: a group of servers is the nearest one, as the levels tell.
TEST_CASE("leaves that are not equally full are nearer groups that levels do not tell") {
  LeafSpineSpec spec;
  spec.node.npus = spec.node.nics = 8;
  spec.node.inside = NodeInside::switched;
  spec.node.link = spec.node.bus = {gigabytes_per_second(450), nanoseconds(200)};
  spec.wire = {gigabytes_per_second(50), nanoseconds(500)};
  spec.leaves = 4;
  spec.oversubscription = 3;
  spec.nodes = 31;
  const auto uneven = spread_bandwidths(Topology(build_leaf_spine(spec)));
  REQUIRE(uneven.size() == 2);
  CHECK(uneven[0].npus == 1);
  CHECK(uneven[1].npus == 64);
  CHECK(static_cast<double>(uneven[1].bandwidth.value) ==
        Approx(22 * 50e9 / 64 * 240 / 184).epsilon(1e-9));
  spec.nodes = 32;
  const auto even = spread_bandwidths(Topology(build_leaf_spine(spec)));
  REQUIRE(even.size() == 3);
  CHECK(even[1].npus == 8);
  CHECK(even[2].npus == 64);
  CHECK(even[2].bandwidth == gigabytes_per_second(50));
}

}  // namespace
}  // namespace orrery
