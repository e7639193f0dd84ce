#include <catch2/catch.hpp>

#include <algorithm>
#include <utility>

#include "network/topology/topology.h"

namespace orrery {
namespace {

LevelSpec level(LevelKind kind, std::int32_t size) {
  return {"", kind, size, gigabytes_per_second(1), nanoseconds(10), Scope::local};
}

// {16, 8}: 128 NPUs; 8 inner switches (one for each node), 16 outer ones (one for each local rank).
TEST_CASE("a two-level switched platform") {
  const Topology topology({{level(LevelKind::switched, 16), level(LevelKind::switched, 8)}});
  CHECK(topology.npu_count() == 128);
  CHECK(topology.node_count() == 128 + 8 + 16);
  CHECK(topology.links().size() == 4 * 128);  // up and down on each level
  CHECK(topology.coordinate({37}, 0) == 5);
  CHECK(topology.coordinate({37}, 1) == 2);
  CHECK(topology.stride(1) == 16);
  CHECK(topology.levels()[1].name == "level 1");
  // NPUs 37 = (5, 2) and 5 = (5, 0) meet at the outer switch of local rank 5; 37 and 32 at node
  // 2's.
  const auto outer = [&](std::int32_t npu) {
    return topology.links()[topology.egress_link(1, {npu}, 0)].to;
  };
  const auto inner = [&](std::int32_t npu) {
    return topology.links()[topology.egress_link(0, {npu}, 0)].to;
  };
  CHECK(outer(37) == outer(5));
  CHECK(outer(37) != outer(36));
  CHECK(inner(37) == inner(32));
  CHECK(inner(37) != inner(48));
}

TEST_CASE("every link leads from one end to the other of its level, once in each direction") {
  for (const LevelKind kind :
       {LevelKind::ring, LevelKind::mesh, LevelKind::fully_connected, LevelKind::switched})
    for (const std::int32_t size : {2, 3, 8}) {
      const Topology topology({{level(LevelKind::switched, 3), level(kind, size)}});
      std::vector<std::pair<std::int32_t, std::int32_t>> ends;
      for (const Link& link : topology.links()) ends.emplace_back(link.from.value, link.to.value);
      std::sort(ends.begin(), ends.end());
      CHECK(std::adjacent_find(ends.begin(), ends.end()) == ends.end());
      for (const auto& [from, to] : ends)
        CHECK(std::binary_search(ends.begin(), ends.end(), std::pair{to, from}));
    }
}

// 3 x 4: a line of 3 has 2 links each way, 4 of them; a line of 4 has 3, 3 of them: 2 (8 + 9).
TEST_CASE("a mesh has no link between its ends, and its ports find their links") {
  const Topology topology({{level(LevelKind::mesh, 3), level(LevelKind::mesh, 4)}});
  CHECK(topology.links().size() == 34);
  CHECK(topology.hops(1, 0, 3) == 3);
  for (int l : {0, 1})
    for (std::int32_t npu = 0; npu < 12; ++npu)
      for (std::int32_t port : {0, 1}) {
        const std::int32_t here = topology.coordinate({npu}, l);
        const bool exists = port == 0 ? here + 1 < topology.levels()[l].size : here > 0;
        CHECK(topology.has_link(l, {npu}, port) == exists);
        if (!exists) continue;
        const Link& link = topology.links()[topology.egress_link(l, {npu}, port)];
        CHECK(link.from == NodeId{npu});
        CHECK(link.to.value - npu == (port == 0 ? 1 : -1) * topology.stride(l));
      }
}

TEST_CASE("ports, hops and injection bandwidth of each kind") {
  const Topology ring({{level(LevelKind::ring, 8)}});
  CHECK(ring.ports(0) == 2);
  CHECK(ring.hops(0, 1, 7) == 2);
  CHECK(ring.hops(0, 0, 4) == 4);
  CHECK(ring.injection_bandwidth(0) == gigabytes_per_second(2));
  const Topology pair({{level(LevelKind::ring, 2)}});
  CHECK(pair.ports(0) == 1);
  CHECK(pair.links().size() == 2);
  const Topology mesh({{level(LevelKind::fully_connected, 8)}});
  CHECK(mesh.ports(0) == 7);
  CHECK(mesh.hops(0, 3, 5) == 1);
  CHECK(mesh.path_latency(0, 3, 5) == nanoseconds(10));
  const Topology star({{level(LevelKind::switched, 8)}});
  CHECK(star.ports(0) == 1);
  CHECK(star.path_latency(0, 3, 5) == nanoseconds(20));
  CHECK(star.path_latency(0, 3, 3) == Duration{});
}

}  // namespace
}  // namespace orrery
