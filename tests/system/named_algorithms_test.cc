// Algorithms that are named on a platform of several levels.
#include "system/collective/named_algorithms.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

using Names = std::vector<NamedAlgorithm>;

TopologySpec nodes_of_eight() {
  TopologySpec topology;
  topology.levels = {
      {"node", LevelKind::switched, 8, gigabytes_per_second(450), nanoseconds(500), Scope::local},
      {"fabric", LevelKind::switched, 4, gigabytes_per_second(50), microseconds(1),
       Scope::scale_out}};
  return topology;
}

CollectiveSpec named(const Names& names) {
  CollectiveSpec spec;
  spec.algorithms = names;
  return spec;
}

TEST_CASE("named algorithms reduce inside first, where nobody names a schedule") {
  for (const Collective kind : {Collective::all_reduce, Collective::all_gather}) {
    CollectiveSpec rings = named({"ring"});
    complete_named(rings, true, kind, nodes_of_eight());
    CHECK(rings.schedule == HierarchicalSchedule::local_bandwidth_aware);
    CHECK(rings.algorithms == Names{"ring"});
  }
}

TEST_CASE("a schedule that is named stays") {
  CollectiveSpec rings = named({"ring"});
  complete_named(rings, false, Collective::all_reduce, nodes_of_eight());
  CHECK(rings == named({"ring"}));
}

// A tree has no reduce-scatter, which the level inside needs.
TEST_CASE("a tree that is named is one of nodes") {
  CollectiveSpec tree = named({"double_binary_tree"});
  complete_named(tree, true, Collective::all_reduce, nodes_of_eight());
  CHECK(tree.schedule == HierarchicalSchedule::local_bandwidth_aware);
  CHECK(tree.algorithms == Names{"ring", "double_binary_tree"});
  CHECK(can_do(tree, Collective::all_reduce, nodes_of_eight()));
}

// Whoever names both levels means both. A size range begins with the schedule that was found for
// the other sizes, which these trees cannot do.
TEST_CASE("trees that are named for both levels keep them") {
  const CollectiveSpec written = named({"double_binary_tree", "double_binary_tree"});
  for (const HierarchicalSchedule before :
       {HierarchicalSchedule::baseline, HierarchicalSchedule::local_bandwidth_aware}) {
    CollectiveSpec trees = written;
    trees.schedule = before;
    complete_named(trees, true, Collective::all_reduce, nodes_of_eight());
    CHECK(trees == written);
  }
}

TEST_CASE("on one level, and where algorithms are chosen, nothing is filled in") {
  TopologySpec one = nodes_of_eight();
  one.levels.resize(1);
  CollectiveSpec rings = named({"ring"});
  complete_named(rings, true, Collective::all_reduce, one);
  CHECK(rings == named({"ring"}));
  CollectiveSpec chosen = named({kAutomatic});
  complete_named(chosen, true, Collective::all_reduce, nodes_of_eight());
  CHECK(chosen == named({kAutomatic}));
}

}  // namespace
}  // namespace orrery
