// What NPUs get of NICs while all of them send.
#include "network/nic_shares.h"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "network/topology/builders/tree.h"

namespace orrery {
namespace {

constexpr int inside = 0, outside = 1;

// Two servers of eight NPUs on a leaf each; NICs of 50 GB/s.
Topology with(std::int32_t nics, std::int64_t bus, std::vector<std::int32_t> affinity = {}) {
  const NodeSpec server{.npus = 8,
                        .inside = NodeInside::switched,
                        .link = {gigabytes_per_second(450), nanoseconds(500)},
                        .nics = nics,
                        .bus = {gigabytes_per_second(bus), nanoseconds(300)},
                        .affinity = std::move(affinity)};
  LeafSpineSpec network;
  network.node = server;
  network.nodes = network.leaves.emplace(2);
  network.spines = 8;
  network.wire = {gigabytes_per_second(50), nanoseconds(500)};
  return Topology(build_leaf_spine(network));
}

TEST_CASE("NPUs that share a NIC have a part of it each") {
  const Topology topology = with(2, 64);
  const NicShares nics(topology);
  CHECK(nics.at(0, outside) == gigabits_per_second(100));  // 50 GB/s among four
  CHECK(nics.least(outside) == gigabits_per_second(100));
  CHECK(nics.mean(outside, 8) == gigabits_per_second(100));
  CHECK(nics.alone(0) == gigabytes_per_second(50));
  CHECK(nics.at(0, inside) == gigabytes_per_second(450));
  CHECK_FALSE(nics.serves(inside));
}

// Of 50 GB/s two NPUs have 25 each, and six have one alone: 350 GB/s for eight.
TEST_CASE("of seven NICs for eight NPUs one is shared by two") {
  const Topology topology = with(7, 64, {0, 0, 1, 2, 3, 4, 5, 6});
  const NicShares nics(topology);
  CHECK(nics.least(outside) == gigabytes_per_second(25));
  CHECK(nics.mean(outside, 8) == gigabits_per_second(350));
}

TEST_CASE("a bus that is slower than an NPU's part of its NIC holds it up") {
  const Topology slow = with(8, 32), shared = with(2, 32);
  CHECK(NicShares(slow).at(0, outside) == gigabytes_per_second(32));
  CHECK(NicShares(slow).bus(0) < NicShares(slow).part_of_nics(0));
  CHECK(NicShares(shared).at(0, outside) == gigabits_per_second(100));
  CHECK(NicShares(shared).bus(0) > NicShares(shared).part_of_nics(0));
}

TEST_CASE("without NICs an NPU has its ports") {
  const Topology topology(
      {{{"node", LevelKind::ring, 4, gigabytes_per_second(50), microseconds(1)}}});
  CHECK(NicShares(topology).at(0, 0) == gigabytes_per_second(100));  // both ways round
  CHECK_FALSE(NicShares(topology).serves(0));
}

}  // namespace
}  // namespace orrery
