#include "network/routing/alike_links.h"

#include <catch2/catch.hpp>
#include <map>

#include "tests/network/routing/small_graphs.h"

namespace orrery {
namespace {

std::vector<LinkIndex> alike_on(const Topology& topology) {
  const LinkStates states(topology);
  ShortestPaths paths(topology, states, {});
  return find_alike_links(topology, paths);
}

// How many links there are of each number of alike ones.
std::map<std::size_t, std::size_t> links_by_alike(const Topology& topology) {
  std::map<LinkIndex, std::size_t> alike;
  for (const LinkIndex first : alike_on(topology)) ++alike[first];
  std::map<std::size_t, std::size_t> links;
  for (const auto& [first, count] : alike) links[count] += count;
  return links;
}

// Three leaves with four links up and four down are six times four alike ones; the links of the six
// NPUs are like no other.
TEST_CASE("what a leaf sends to the spines is the same on all its links") {
  const Topology topology(test::two_tiers(3, 2, 4));
  CHECK(links_by_alike(topology) == std::map<std::size_t, std::size_t>{{1, 12}, {4, 24}});
}

// Of two leaves, the link between leaf 0 and spine 0 has half the bandwidth. Flows divide over it
// as over the others, but it is full before them. All that leaves one leaf comes to the other, so
// three links of leaf 0 to the spines and four from them to leaf 1 are alike, and seven the other
// way.
TEST_CASE("links of several bandwidths are not alike") {
  test::GraphMaker maker(4, 0, 2 + 4);
  for (std::int32_t npu = 0; npu < 4; ++npu) maker.join(npu, 4 + npu / 2);
  for (std::int32_t leaf = 4; leaf < 6; ++leaf)
    for (std::int32_t spine = 6; spine < 10; ++spine)
      maker.join(leaf, spine, gigabits_per_second(leaf == 4 && spine == 6 ? 4 : 8));
  CHECK(links_by_alike(Topology(maker.spec())) ==
        std::map<std::size_t, std::size_t>{{1, 8 + 2}, {7, 14}});
}

// A fat tree of switches with four ports: in a pod, two lower switches with two hosts each are
// joined to two upper ones, and each of those to two of four spines. Of a lower switch, both links
// up are alike, and both down: 2 x 2 pairs in a pod. What leaves a pod divides over its four links
// up, whatever lower switch it comes from: these are alike, and so are the four down.
TEST_CASE("in a fat tree, what leaves a pod is the same on all its links") {
  const std::int32_t npus = 16, lower = npus, upper = lower + 8, spines = upper + 8;
  test::GraphMaker maker(npus, 0, 8 + 8 + 4);
  for (std::int32_t npu = 0; npu < npus; ++npu) maker.join(npu, lower + npu / 2);
  for (std::int32_t pod = 0; pod < 4; ++pod)
    for (std::int32_t i = 0; i < 2; ++i)
      for (std::int32_t j = 0; j < 2; ++j) {
        maker.join(lower + 2 * pod + i, upper + 2 * pod + j);
        maker.join(upper + 2 * pod + i, spines + 2 * i + j);
      }
  CHECK(links_by_alike(Topology(maker.spec())) ==
        std::map<std::size_t, std::size_t>{{1, 32}, {2, 4 * 2 * 2 * 2}, {4, 4 * 2 * 4}});
}

// Leaf 2 hangs on spine 0 only, so its flows do not divide. Spine 1 has those between leaves 0 and
// 1 alone: half of each, on the link to it and on the link from it.
TEST_CASE("links that some flows do not divide over are not alike") {
  test::GraphMaker maker(3, 0, 3 + 2);
  for (std::int32_t npu = 0; npu < 3; ++npu) maker.join(npu, 3 + npu);
  for (const std::int32_t leaf : {3, 4}) maker.join(leaf, 6).join(leaf, 7);
  maker.join(5, 6);
  CHECK(links_by_alike(Topology(maker.spec())) ==
        std::map<std::size_t, std::size_t>{{1, 12}, {2, 4}});
}

// Two rails of two leaves and two spines, which nothing joins: messages between them take another
// way, through an NPU (PXN), and what is between leaves says nothing of that.
TEST_CASE("where ends are not joined, nothing is known to be alike") {
  test::GraphMaker maker(4, 0, 4 + 4);
  for (std::int32_t npu = 0; npu < 4; ++npu) {
    const std::int32_t leaf = 4 + npu, rail = npu / 2;
    maker.join(npu, leaf).join(leaf, 8 + 2 * rail).join(leaf, 9 + 2 * rail);
  }
  CHECK(alike_on(Topology(maker.spec())).empty());
}

}  // namespace
}  // namespace orrery
