// What is wrong with the settings of collectives and devices, without a file.
#include "system/problems.h"

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "tests/problem_keys.h"

using namespace orrery;
using orrery::test::keys;

namespace {

TopologySpec two_levels() {
  LevelSpec node, fabric;
  node.size = 4;
  fabric.size = 3;
  return {{node, fabric}};
}

std::string wrong_all_reduce(const CollectiveSpec& spec) {
  SystemSpec system;
  system.collectives[static_cast<std::size_t>(Collective::all_reduce)] = spec;
  return keys(problems_of(system, two_levels(), std::array{Collective::all_reduce}));
}

}  // namespace

TEST_CASE("algorithms for the levels of a platform") {
  CollectiveSpec spec;
  CHECK(wrong_all_reduce(spec) == "");
  spec.algorithms = {"direct", "ring"};
  CHECK(wrong_all_reduce(spec) == "");
  spec.algorithms = {"ring", "ring", "ring"};
  CHECK(wrong_all_reduce(spec) == "all_reduce.algorithms");
  spec.algorithms = {"ring", "carrier pigeon"};
  CHECK(wrong_all_reduce(spec) == "all_reduce.algorithms[1]");
  spec.algorithms = {"ring", "in_network"};  // needs a switch that adds
  CHECK(wrong_all_reduce(spec) == "all_reduce.algorithms[1]");
  spec.algorithms = {"ring", "ring"};
  spec.schedule = HierarchicalSchedule::flat;
  CHECK(wrong_all_reduce(spec) == "all_reduce.algorithms");
  spec.algorithms.clear();
  CHECK(wrong_all_reduce(spec) == "all_reduce.algorithms");
}

TEST_CASE("protocols have costs, and ranges ascend") {
  CollectiveSpec spec;
  spec.protocol = Protocol::ll;
  CHECK(wrong_all_reduce(spec) == "all_reduce");
  spec.protocol = Protocol::none;
  const CollectiveSpec inner = spec;
  spec.ranges = {{bytes(20), inner}, {bytes(10), inner}};
  CHECK(wrong_all_reduce(spec) == "all_reduce.ranges[1]");
  spec.ranges[0].spec.algorithms = {"carrier pigeon"};
  CHECK(wrong_all_reduce(spec) == "all_reduce.ranges[0].use[0] all_reduce.ranges[1]");
  ProtocolCost cost;
  cost.efficiency.part = 0;
  CHECK(keys(problems_of(cost)) == "efficiency");
}

TEST_CASE("limits of a system are at least one, and processors are left some time") {
  SystemSpec system;
  system.queue_limit = 0;
  system.sm_tax = {1, 1};
  CHECK(keys(problems_of(system, two_levels(), {})) == "queue_limit sm_tax");
}

// A ring cannot do a gather, which nobody calls unless it is said.
TEST_CASE("kinds of collectives that no job calls are not looked at") {
  SystemSpec system;
  for (CollectiveSpec& spec : system.collectives) spec.algorithms = {"ring"};
  CHECK(keys(problems_of(system, two_levels(), std::array{Collective::all_reduce})) == "");
  CHECK(keys(problems_of(system, two_levels(), std::array{Collective::gather})) ==
        "gather.algorithms[0]");
}

TEST_CASE("stragglers are ranks of the platform that are slower") {
  StragglerSpec straggler;
  straggler.ranks = {3, 12};
  straggler.slowdown = 1.2;
  VariationSpec variation{{}, {straggler}};
  CHECK(keys(problems_of(variation, 13)) == "");
  CHECK(keys(problems_of(variation, 12)) == "stragglers[0].ranks");
  variation.stragglers[0].slowdown = 0.9;
  CHECK(keys(problems_of(variation, 13)) == "stragglers[0].slowdown");
  EfficiencySpec efficiency;
  efficiency.memory = {1, 200};
  CHECK(keys(problems_of(efficiency)) == "memory");
}
