#include "network/link_classes.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "network/fluid/crossings.h"
#include "network/routing/router.h"
#include "network/topology/builders/dragonfly.h"
#include "network/topology/builders/tree.h"

namespace orrery {
namespace {

constexpr Wire wire{gigabytes_per_second(1), nanoseconds(10)};

// NPU r sends to r + 1, r + 2, ... of n, round the end.
class AllToAll final : public FoldedTraffic {
 public:
  explicit AllToAll(std::int32_t npus) : npus_(npus) {}
  void targets(NodeId source, std::vector<Target>& targets) const override {
    for (std::int32_t distance = 1; distance < npus_; ++distance)
      targets.push_back({{(source.value + distance) % npus_}});
  }

 private:
  std::int32_t npus_;
};

// Every flow has all of its crossings to itself.
FoldAnswer each_alone(const Topology& topology, const Fold& fold, LinkClasses& classes) {
  Router router(topology, {.policy = RoutingPolicy::ecmp_expected});
  std::vector<LinkShare> shares;
  const auto crossings_of = [&](NodeId from, NodeId to, FlowCrossings& found) {
    shares.clear();
    router.shares(from, to, shares);
    for (const LinkShare& share : shares)
      found.own.push_back({share.link, std::bit_cast<std::uint64_t>(share.fraction)});
    return std::string();
  };
  return find_link_classes(topology, fold, AllToAll(topology.npu_count()), crossings_of, classes);
}

struct Asked {
  std::int64_t flows = 0, crossings = 0;  // that were handed out
  std::uint32_t shared = 0;               // lists of them, shared by many flows
};

FoldAnswer by_leaves(const Topology& topology, const Fold& fold, LinkClasses& classes,
                     Asked& asked) {
  Router router(topology, {.policy = RoutingPolicy::ecmp_expected});
  fluid::Crossings crossings(topology, router);
  const auto crossings_of = [&](NodeId from, NodeId to, FlowCrossings& found) {
    std::string why = crossings.find(from, to, found);
    ++asked.flows;
    asked.crossings += std::ssize(found.own);
    if (found.shared != nullptr) asked.shared = std::max(asked.shared, found.shared->number + 1);
    return why;
  };
  return find_link_classes(topology, fold, AllToAll(topology.npu_count()), crossings_of, classes);
}

// Every digit that divides the NPUs, whether it folds or not.
void compare(const TopologySpec& spec, int& folds, int& refusals) {
  const Topology topology(spec);
  const std::int32_t npus = topology.npu_count();
  for (std::int32_t count = 2; count <= npus; ++count) {
    if (npus % count != 0) continue;
    const Fold fold({{count, npus / count}});
    LinkClasses alone, shared;
    Asked asked;
    const FoldAnswer expected = each_alone(topology, fold, alone);
    const FoldAnswer answer = by_leaves(topology, fold, shared, asked);
    INFO(npus << " NPUs, " << count << " alike: " << expected.why_not);
    CHECK(answer.why_not == expected.why_not);
    CHECK(answer.uneven == expected.uneven);
    CHECK(shared.like == alone.like);
    CHECK(shared.size == alone.size);
    ++(answer.folds() ? folds : refusals);
  }
}

TEST_CASE("links are of the same classes where flows share their crossings") {
  int folds = 0, refusals = 0;
  for (const std::int32_t radix : {4, 6})
    compare(build_tree({{}, tiers_by_radix(radix, 3, {}, wire)}), folds, refusals);
  DragonflySpec spec;
  spec.plugs = 2;
  spec.routers = 3;
  spec.globals = 1;
  spec.plug_wire = spec.local_wire = spec.global_wire = wire;
  compare(build_dragonfly(spec), folds, refusals);
  CHECK(folds > 3);
  CHECK(refusals > 3);
}

// A fat tree of radix 8: 128 NPUs, 32 leaves of 4. 128 x 127 flows are asked for twice, and of the
// first 1,024 once more each way. Each has its two ends, and none of the 40 links between but once
// for each of 32 x 31 pairs of leaves.
TEST_CASE("what is between two leaves is found once for all of their hosts") {
  const Topology topology(build_tree({{}, tiers_by_radix(8, 3, {}, wire)}));
  REQUIRE(topology.npu_count() == 128);
  LinkClasses classes;
  Asked asked;
  REQUIRE(by_leaves(topology, Fold({{8, 16}}), classes, asked).folds());
  CHECK(asked.flows == 2 * (128 * 127 + 1024));
  CHECK(asked.crossings == 2 * asked.flows);
  CHECK(asked.shared == 32 * 31);
}

}  // namespace
}  // namespace orrery
