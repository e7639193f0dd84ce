#include "network/routing/router.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "network/topology/builders/rail.h"
#include "network/topology/builders/tree.h"
#include "tests/network/routing/small_graphs.h"

namespace orrery {
namespace {

using test::GraphMaker;
using test::is_path;
using test::path;
using test::two_tiers;

LevelSpec level(LevelKind kind, std::int32_t size) {
  return {"", kind, size, gigabytes_per_second(1), nanoseconds(10), Scope::local};
}

// Bellman and Ford, over nodes that forward: what "shortest" means, without any of the router's
// machinery.
std::vector<int> distances_from(const Topology& topology, NodeId from) {
  constexpr int far = 1 << 20;
  std::vector<int> distance(static_cast<std::size_t>(topology.node_count()), far);
  distance[from.value] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Link& link : topology.links()) {
      if (link.from != from && !topology.forwards(link.from)) continue;
      const int there = distance[link.from.value] + link.cost;
      if (distance[link.from.value] >= far || there >= distance[link.to.value]) continue;
      distance[link.to.value] = there;
      changed = true;
    }
  }
  return distance;
}

// A node's NPUs hang on its switch or on each other, some on NICs, with parallel links, costs, and
// one-way links.
TopologySpec random_graph(std::uint64_t seed, bool npus_forward) {
  RandomStream random(seed, "graph");
  const auto up_to = [&](std::uint64_t n) {
    return static_cast<std::int32_t>(random.uniform_int(n));
  };
  const std::int32_t npus = 2 + up_to(8), others = 1 + up_to(12);
  GraphMaker maker(npus, up_to(3), others);
  const std::int32_t nodes = static_cast<std::int32_t>(maker.spec().graph->nodes.size());
  const std::int32_t links = nodes + up_to(static_cast<std::uint64_t>(2 * nodes));
  for (std::int32_t i = 0; i < links; ++i) {
    const std::int32_t a = up_to(static_cast<std::uint64_t>(nodes));
    const std::int32_t b = up_to(static_cast<std::uint64_t>(nodes));
    if (a != b) maker.join(a, b, gigabytes_per_second(1 + up_to(4)), 1 + up_to(3));
  }
  if (npus_forward) maker.let_npus_forward();
  return maker.spec();
}

TEST_CASE("paths on random graphs are contiguous, loop-free and shortest, from and to any node") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    for (const RoutingPolicy policy :
         {RoutingPolicy::ecmp, RoutingPolicy::weighted_ecmp, RoutingPolicy::d_mod_k}) {
      INFO("seed " << seed);
      const Topology topology(random_graph(seed, seed % 3 == 0));
      Router router(topology, {.policy = policy});
      for (std::int32_t from = 0; from < topology.node_count(); ++from) {
        const std::vector<int> distance = distances_from(topology, {from});
        for (std::int32_t to = 0; to < topology.node_count(); ++to) {
          if (from == to) continue;
          INFO(from << " -> " << to);
          std::vector<LinkIndex> links;
          const bool found = router.path({from}, {to}, seed, links);
          REQUIRE(found == (distance[to] < 1 << 20));
          if (!found) continue;
          REQUIRE(is_path(topology, {from}, {to}, links));
          int cost = 0;
          for (const LinkIndex link : links) cost += topology.links()[link].cost;
          REQUIRE(cost == distance[to]);
        }
      }
    }
}

// What leaves the source is 1, what reaches the target is 1, and nothing is lost between.
TEST_CASE("shares on random graphs conserve the flow, on shortest paths only") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    const Topology topology(random_graph(seed, seed % 3 == 0));
    Router router(topology, {.policy = RoutingPolicy::spray});
    for (std::int32_t to = 0; to < topology.node_count(); ++to) {
      const std::int32_t from = (to + 1) % topology.node_count();
      std::vector<LinkShare> shares;
      router.shares({from}, {to}, shares);
      const std::vector<int> distance = distances_from(topology, {from});
      REQUIRE(shares.empty() == (distance[to] >= 1 << 20));
      if (shares.empty()) continue;
      std::map<NodeId, double> balance;
      double cost = 0;
      for (const LinkShare& share : shares) {
        const Link& link = topology.links()[share.link];
        balance[link.from] += share.fraction;
        balance[link.to] -= share.fraction;
        cost += share.fraction * link.cost;
        REQUIRE(share.fraction > 0);
      }
      REQUIRE(std::is_sorted(shares.begin(), shares.end(),
                             [](auto& a, auto& b) { return a.link <= b.link; }));
      for (const auto& [node, rest] : balance)
        REQUIRE(rest == Approx(node.value == from ? 1 : node.value == to ? -1 : 0).margin(1e-12));
      REQUIRE(cost == Approx(distance[to]));  // every part of it went a shortest way
    }
  }
}

std::vector<std::pair<LinkIndex, double>> sorted(const std::vector<LinkShare>& shares) {
  std::vector<std::pair<LinkIndex, double>> pairs;
  for (const LinkShare& share : shares) pairs.emplace_back(share.link, share.fraction);
  std::ranges::sort(pairs);
  return pairs;
}

// To the bit. Of 200 graphs some have nodes whose ways out part, and pairs whose ways pass the
// core.
TEST_CASE("where ways have common ends, these and what is between them are the shares") {
  int common = 0, parted = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    const Topology topology(random_graph(seed, seed % 3 == 0));
    for (const RoutingPolicy policy : {RoutingPolicy::spray, RoutingPolicy::weighted_ecmp}) {
      Router router(topology, {.policy = policy});
      for (std::int32_t to = 0; to < topology.node_count(); ++to) {
        const std::int32_t from = (to + 1) % topology.node_count();
        std::vector<LinkShare> whole, parts;
        router.shares({from}, {to}, whole);
        const auto ends = router.common_ends({from}, {to});
        (ends ? common : parted) += 1;
        if (!ends) continue;
        router.shares_between(ends->exit, ends->entry, parts);
        for (std::size_t i = 0; i < ends->count; ++i) parts.push_back({ends->links[i], 1});
        REQUIRE(sorted(parts) == sorted(whole));
      }
    }
  }
  CHECK(common > 100);
  CHECK(parted > 100);
}

// 4 leaves of 8 hosts, 4 spines: 0 is on leaf 0, 8 on leaf 1. Over 4,000 flows each spine expects
// 1,000 with a standard deviation of 27; 4.5 of them is 120.
TEST_CASE("ECMP spreads flows evenly, and gives the same flow the same path") {
  const Topology topology(two_tiers(4, 8, 4));
  Router router(topology, {}), twin(topology, {}), other(topology, {.seed = 2});
  CHECK(router.policy() == RoutingPolicy::ecmp);
  std::map<NodeId, int> by_spine;
  int moved = 0;
  for (std::uint64_t flow = 0; flow < 4'000; ++flow) {
    const auto links = path(router, 0, 8, flow);
    REQUIRE(links.size() == 4);
    ++by_spine[topology.links()[links[1]].to];
    REQUIRE(links == path(router, 0, 8, flow));
    REQUIRE(links == path(twin, 0, 8, flow));
    moved += links != path(other, 0, 8, flow);
  }
  REQUIRE(by_spine.size() == 4);
  for (const auto& [spine, flows] : by_spine) CHECK(std::abs(flows - 1'000) < 120);
  CHECK(std::abs(moved - 3'000) < 120);   // another seed is another hash: 3 of 4 go elsewhere
  CHECK(path(router, 0, 7).size() == 2);  // under one leaf
}

TEST_CASE("a sprayed flow divides equally over the spines") {
  const Topology topology(two_tiers(4, 8, 4));
  Router router(topology, {.policy = RoutingPolicy::spray});
  std::vector<LinkShare> shares;
  router.shares({0}, {8}, shares);
  // The host's link, 4 up, 4 down, the other host's link.
  REQUIRE(shares.size() == 10);
  CHECK(std::count_if(shares.begin(), shares.end(), [](auto& s) { return s.fraction == 0.25; }) ==
        8);
  CHECK(std::count_if(shares.begin(), shares.end(), [](auto& s) { return s.fraction == 1; }) == 2);
}

// Two ways from 0 to 1, over switches 2, 3, 5 and 2, 4, 5, of 3 and 1 GB/s behind equal first
// links.
TEST_CASE("weighted ECMP looks at what can be carried behind a choice") {
  GraphMaker maker(2, 0, 4);
  const Bandwidth fast = gigabytes_per_second(3), slow = gigabytes_per_second(1);
  maker.join(0, 2, fast).join(1, 5, fast).join(2, 3, fast).join(2, 4, fast);
  maker.join(3, 5, fast).join(4, 5, slow);
  const Topology topology(maker.spec());
  Router router(topology, {.policy = RoutingPolicy::weighted_ecmp});
  int over_slow = 0;
  for (std::uint64_t flow = 0; flow < 4'000; ++flow)
    over_slow += topology.links()[path(router, 0, 1, flow)[1]].to == NodeId{4};
  CHECK(std::abs(over_slow - 1'000) < 120);
  std::vector<LinkShare> shares;
  router.shares({0}, {1}, shares);
  for (const LinkShare& share : shares)
    if (topology.links()[share.link].to == NodeId{4}) CHECK(share.fraction == Approx(0.25));
}

TreeSpec tree(std::vector<TreeTier> tiers, NodeSpec node = {}) {
  return {.node = std::move(node), .tiers = std::move(tiers)};
}

// 12 hosts, 2 under each leaf, 3 leaves in each of 2 groups. A leaf has 2 links
// up and a spine 3: to host 11 = 1 + 2 * (2 + 3 * 1), over the second link of the leaf and the
// third of the spine; to host 8 = 0 + 2 * (1 + 3 * 1), over the first and the second.
TEST_CASE("d mod k goes up by the digits of the target's number") {
  const Wire wire{gigabytes_per_second(1), nanoseconds(10)};
  const Topology topology(
      build_tree(tree({{"leaf", 2, 2, wire}, {"spine", 3, 3, wire}, {"core", 2, 0, wire}})));
  REQUIRE(topology.npu_count() == 12);
  Router router(topology, {.policy = RoutingPolicy::d_mod_k});
  const auto names = [&](std::int32_t from, std::int32_t to, std::uint64_t flow) {
    std::string text;
    for (const LinkIndex link : path(router, from, to, flow))
      text += topology.node_name(topology.links()[link].to) + " ";
    return text;
  };
  // Spine s of a group is joined to cores 3 s, 3 s + 1 and 3 s + 2; the second group has spines 2
  // and 3.
  for (const std::uint64_t flow : {0, 1, 99}) {
    CHECK(names(0, 11, flow) ==
          "leaf0 spine1 core5 spine3 leaf5 " + topology.node_name({11}) + " ");
    CHECK(names(3, 11, flow) ==
          "leaf1 spine1 core5 spine3 leaf5 " + topology.node_name({11}) + " ");
    CHECK(names(0, 8, flow) == "leaf0 spine0 core1 spine2 leaf4 " + topology.node_name({8}) + " ");
    CHECK(names(0, 3, flow) == "leaf0 spine1 leaf1 " + topology.node_name({3}) + " ");
  }
}

// The theorem of the paper: on a fat tree that is nowhere oversubscribed, of the messages of any
// shift no two cross the same link. By a hash, some always do.
TEST_CASE("no two messages of a shift meet where d mod k routes a full fat tree") {
  const Wire wire{gigabytes_per_second(1), nanoseconds(10)};
  const Topology topology(build_tree(tree(tiers_by_radix(8, 3, {}, wire))));
  const std::int32_t hosts = topology.npu_count();
  REQUIRE(hosts == 128);
  Router d_mod_k(topology, {.policy = RoutingPolicy::d_mod_k}), ecmp(topology, {});
  const auto most_on_a_link = [&](Router& router, std::int32_t shift) {
    std::map<LinkIndex, int> flows;
    int most = 0;
    for (std::int32_t from = 0; from < hosts; ++from)
      for (const LinkIndex link : path(router, from, (from + shift) % hosts))
        most = std::max(most, ++flows[link]);
    return most;
  };
  for (std::int32_t shift = 1; shift < hosts; ++shift) {
    INFO("shift " << shift);
    REQUIRE(most_on_a_link(d_mod_k, shift) == 1);
    const bool many_leave_their_leaf = shift >= 4 && shift <= hosts - 4;
    if (many_leave_their_leaf) REQUIRE(most_on_a_link(ecmp, shift) > 1);
  }
}

// Two servers of 4 NPUs on one leaf each, and 2 spines. With one NIC a server has one port: 1, odd,
// the second spine for all its NPUs. With a NIC for each NPU the ports are 4 to 7.
TEST_CASE("d mod k counts the ports of servers, not their NPUs") {
  const Wire wire{gigabytes_per_second(1), nanoseconds(10)};
  for (const std::int32_t nics : {1, 4}) {
    const NodeSpec server{.npus = 4,
                          .inside = NodeInside::switched,
                          .link = wire,
                          .nics = nics,
                          .bus = wire,
                          .affinity = {}};
    const Topology topology(
        build_tree(tree({{"leaf", nics, 2, wire}, {"spine", 2, 0, wire}}, server)));
    Router router(topology, {.policy = RoutingPolicy::d_mod_k});
    for (std::int32_t to = 4; to < 8; ++to) {
      const auto links = path(router, 0, to);
      REQUIRE(links.size() == 6);  // NIC, leaf, spine, leaf, NIC, NPU
      const int port = nics == 1 ? 1 : to;
      CHECK(topology.node_name(topology.links()[links[2]].to) ==
            (port % 2 == 0 ? "spine0" : "spine1"));
    }
  }
}

// Two servers of 4 NPUs, without NICs, share a leaf: over it, two NPUs of a server are two links
// apart, as over their own switch.
TEST_CASE("NPUs of a server do not meet at the leaf that they are plugged into") {
  const Wire wire{gigabytes_per_second(1), nanoseconds(10)};
  const Topology topology(build_tree(
      tree({{"leaf", 8, 2, wire}, {"spine", 2, 0, wire}},
           {.npus = 4, .inside = NodeInside::switched, .link = wire, .bus = {}, .affinity = {}})));
  Router router(topology, {.policy = RoutingPolicy::ecmp_expected});
  std::vector<LinkShare> shares;
  router.shares({0}, {3}, shares);
  REQUIRE(shares.size() == 2);
  CHECK(topology.node_name(topology.links()[shares[0].link].to) == "n0.switch");
  CHECK(path(router, 0, 4).size() == 2);  // the leaf, for the NPUs of two servers
}

// Three servers of 4 NPUs with a NIC each, and 4 rails that nothing joins: NPU 0 of server 0
// reaches NPU 2 of server 1, which is number 6, through NPU 2 of its own, which is on the target's
// rail. With two NICs for the four, rail 1 is that of NPUs 2 and 3.
TEST_CASE("where rails are not joined, another NPU of the server passes a message on") {
  const Wire wire{gigabytes_per_second(1), nanoseconds(10)};
  const auto rails = [&](std::int32_t nics) {
    return build_rail({.node = {.npus = 4,
                                .inside = NodeInside::switched,
                                .link = wire,
                                .nics = nics,
                                .bus = wire,
                                .affinity = {}},
                       .nodes = 3,
                       .wire = wire,
                       .spine_wire = wire});
  };
  for (const std::int32_t nics : {4, 2}) {
    const Topology topology(rails(nics));
    Router router(topology, {});
    CHECK(path(router, 0, nics == 4 ? 4 : 5).size() == 4);  // on its own rail: NIC, rail, NIC, NPU
    CHECK_FALSE(router.relays());
    const auto links = path(router, 0, 6);
    REQUIRE(links.size() == 6);
    CHECK(is_path(topology, {0}, {6}, links));
    CHECK(topology.links()[links[1]].to == NodeId{2});
    CHECK(router.relays());
    // Sprayed, it is the same way with all that is sent.
    std::vector<LinkShare> shares;
    router.shares({0}, {6}, shares);
    REQUIRE(shares.size() == 6);
    for (const LinkShare& share : shares) CHECK(share.fraction == 1);
    // What fails elsewhere changes nothing for two that wires never joined. A NIC that fails is no
    // wire that was never there: who sends over it waits, and nobody passes its messages on.
    EventQueue queue;
    struct Nothing final : RouteListener {
      void links_changed(std::span<const LinkIndex>) override {}
      void routes_changed() override {}
    } listener;
    Fault fault;
    fault.node = topology.links()[links[2]].to;  // the NIC of NPU 2
    Router failing(topology, {.faults = {fault}});
    failing.schedule_changes(queue, listener);
    queue.run();
    CHECK(path(failing, 2, 6).empty());
    CHECK(path(failing, 0, nics == 4 ? 7 : 5).size() == (nics == 4 ? 6 : 4));
  }
}

TEST_CASE("flows are numbered as the policy needs them") {
  const Topology topology(two_tiers(2, 2, 2));
  Router ecmp(topology, {}), spread(topology, {.policy = RoutingPolicy::qp_spread, .paths = 3});
  Router spray(topology, {.policy = RoutingPolicy::spray});
  CHECK(Router(topology, {.policy = RoutingPolicy::d_mod_k}).next_flow({0}) == 0);
  for (const std::uint64_t flow : {0, 1, 2, 0, 1}) {
    CHECK(ecmp.next_flow({0}) == 0);
    CHECK(spread.next_flow({0}) == flow);
  }
  CHECK(spread.next_flow({1}) == 0);  // every source counts for itself
  CHECK(spray.next_flow({0}) != spray.next_flow({0}));
}

// On a 3-D torus with a mesh in it: the links of dimension 0 first, then 1, then 2; as many in each
// as the coordinates say, the shorter way round.
TEST_CASE("dimension order on a torus is the arithmetic of coordinates") {
  const Topology topology(
      {{level(LevelKind::ring, 5), level(LevelKind::mesh, 4), level(LevelKind::ring, 2)}});
  Router router(topology, {});
  CHECK(router.policy() == RoutingPolicy::dimension_order);
  for (std::int32_t from = 0; from < 40; ++from)
    for (std::int32_t to = 0; to < 40; ++to) {
      if (from == to) continue;
      const auto links = path(router, from, to);
      REQUIRE(is_path(topology, {from}, {to}, links));
      std::vector<int> expected;
      const int x = std::abs(from % 5 - to % 5), y = std::abs(from / 5 % 4 - to / 5 % 4);
      expected.insert(expected.end(), static_cast<std::size_t>(std::min(x, 5 - x)), 0);
      expected.insert(expected.end(), static_cast<std::size_t>(y), 1);
      expected.insert(expected.end(), from / 20 == to / 20 ? 0U : 1U, 2);
      std::vector<int> crossed;
      for (const LinkIndex link : links) crossed.push_back(topology.links()[link].level);
      REQUIRE(crossed == expected);
    }
}

TEST_CASE("messages start and end at the switches of levels, too") {
  const Topology topology(
      {{level(LevelKind::switched, 3), level(LevelKind::ring, 4), level(LevelKind::switched, 2)}});
  Router router(topology, {});
  for (std::int32_t from = 0; from < topology.node_count(); ++from)
    for (std::int32_t to = 0; to < topology.node_count(); ++to)
      if (from != to) REQUIRE(is_path(topology, {from}, {to}, path(router, from, to)));
}

// A 4 x 4 torus has 6 shortest ways from (0,0) to (2,1)... with rings of 4, 2 is half way round, so
// both directions count: 2 x 3 orders of two steps and one.
TEST_CASE("any policy can be asked for on levels: spraying on a torus uses all shortest ways") {
  const Topology topology({{level(LevelKind::ring, 4), level(LevelKind::ring, 4)}});
  Router router(topology, {.policy = RoutingPolicy::spray});
  std::set<std::vector<LinkIndex>> ways;
  for (std::uint64_t flow = 0; flow < 500; ++flow) ways.insert(path(router, 0, 6, flow));
  CHECK(ways.size() == 6);
}

TEST_CASE("Valiant's way turns at a switch drawn by lot, without loops") {
  const Topology topology(two_tiers(6, 2, 2));
  Router router(topology, {.policy = RoutingPolicy::valiant});
  std::set<NodeId> turns;
  for (std::uint64_t flow = 0; flow < 500; ++flow) {
    const auto links = path(router, 0, 2, flow);
    REQUIRE(is_path(topology, {0}, {2}, links));
    REQUIRE(links.size() <= 6);  // host, leaf, spine, leaf, spine, leaf, host
    if (links.size() == 6) turns.insert(topology.links()[links[2]].to);
  }
  CHECK(turns.size() == 4);  // all leaves but the two ends'
}

}  // namespace
}  // namespace orrery
