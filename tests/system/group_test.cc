// Where groups sit: dimensions of families and lists, members and positions.
#include <catch2/catch.hpp>

#include <numeric>

#include "network/topology/builders/rail.h"
#include "network/topology/builders/tree.h"
#include "system/collective/group.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

// Nodes of 8, racks of 4 nodes, 2 racks; the innermost level is a node.
Topology platform() {
  LevelSpec node = switch_level(8, gigabytes_per_second(100), nanoseconds(100));
  node.scope = Scope::local;
  const LevelSpec rack = switch_level(4, gigabytes_per_second(10), nanoseconds(500));
  const LevelSpec pod = switch_level(2, gigabytes_per_second(5), nanoseconds(500));
  return Topology({{node, rack, pod}});
}

struct Dimension {
  int level;
  std::int32_t size, stride;
  bool operator==(const Dimension&) const = default;
};
std::vector<Dimension> dimensions_of(const GroupLayout& layout) {
  std::vector<Dimension> result;
  for (const GroupDimension& d : layout.dimensions) result.push_back({d.level, d.size, d.stride});
  return result;
}
std::vector<Rank> members_of(const GroupFamily& family, Rank base, std::int32_t layout) {
  std::vector<Rank> ranks;
  for (Position p = 0; p < family.layouts()[layout].whole.size; ++p)
    ranks.push_back(family.rank_at(base, p));
  return ranks;
}

// Every rank's place leads back to the rank, every line to the members with the other coordinates.
void check_places(const Topology& topology, const GroupFamily& family) {
  for (Rank rank = 0; rank < topology.npu_count(); ++rank) {
    const auto member = family.find(rank);
    if (!member) continue;
    CHECK(family.rank_at(member->base, member->position) == rank);
    CHECK(family.find(member->base)->position == 0);
    const GroupLayout& layout = family.layouts()[member->layout];
    std::vector<GroupDimension> dimensions = layout.dimensions;
    dimensions.push_back(layout.whole);
    for (const GroupDimension& dimension : dimensions) {
      const std::int32_t mine = dimension.coordinate(member->position);
      const Position first = member->position - dimension.offset(mine);
      const RankLine line = family.line(member->base, first, dimension);
      CHECK(line.at(mine) == rank);
      CHECK(line.member_of(rank, dimension.size) == mine);
      for (std::int32_t m = 0; m < dimension.size; ++m)
        CHECK(line.at(m) == family.rank_at(member->base, first + dimension.offset(m)));
    }
  }
}

TEST_CASE("extents become dimensions at the boundaries of levels") {
  const Topology topology = platform();
  const auto check = [&](std::vector<Extent> extents, const std::vector<Dimension>& expected,
                         const GroupShape& shape) {
    const GroupFamily family(topology, {"", extents});
    REQUIRE(family.layouts().size() == 1);
    CHECK(dimensions_of(family.layouts()[0]) == expected);
    CHECK(family.layouts()[0].shape == shape);
    check_places(topology, family);
  };
  check({{4, 1}}, {{0, 4, 1}}, GroupShape(4, 1));                          // half a node
  check({{8, 1}}, {{0, 8, 1}}, GroupShape(8, 1));                          // a node
  check({{4, 2}}, {{0, 4, 1}}, GroupShape(4, 1));                          // its even ranks
  check({{2, 1}, {2, 4}}, {{0, 4, 1}}, GroupShape(4, 1));                  // 0 1 4 5 of a node
  check({{64, 1}}, {{0, 8, 1}, {1, 4, 8}, {2, 2, 32}}, GroupShape(8, 8));  // all
  check({{8, 8}}, {{1, 4, 1}, {2, 2, 4}}, GroupShape(1, 8));               // one of each node
  check({{16, 4}}, {{0, 2, 1}, {1, 4, 2}, {2, 2, 8}}, GroupShape(2, 8));   // two of each node
  check({{4, 1}, {8, 8}}, {{0, 4, 1}, {1, 4, 4}, {2, 2, 16}}, GroupShape(4, 8));
  check({{2, 32}, {4, 1}}, {{0, 4, 1}, {2, 2, 4}}, GroupShape(4, 2));  // any order of extents
}

TEST_CASE("levels and extents say the same") {
  const Topology topology = platform();
  const GroupFamily levels(topology, {"", std::vector{0, 2}});
  const GroupFamily extents(topology, {"", std::vector<Extent>{{8, 1}, {2, 32}}});
  CHECK(levels.layouts() == extents.layouts());
  CHECK(members_of(levels, 8, 0) == members_of(extents, 8, 0));
  CHECK(members_of(levels, 8, 0)[9] == 8 + 32 + 1);
}

// 6 ranks a group on nodes of 8: 0-5 in a node, 6-11 over two (2 and 4), 12-17 (4, 2), 18-23 in
// one.
TEST_CASE("groups that cross boundaries in different places have layouts of their own") {
  const LevelSpec node = switch_level(8, gigabytes_per_second(100), nanoseconds(100));
  const Topology topology({{node, switch_level(3, gigabytes_per_second(10), nanoseconds(500))}});
  const GroupFamily family(topology, {"", std::vector<Extent>{{6, 1}}});
  check_places(topology, family);
  const auto layout = [&](Rank rank) { return family.layouts()[family.find(rank)->layout]; };
  CHECK(dimensions_of(layout(5)) == std::vector<Dimension>{{0, 6, 1}});
  CHECK(dimensions_of(layout(6)) == std::vector<Dimension>{{1, 6, 1}});
  CHECK_FALSE(layout(6).dimensions[0].one_level);
  CHECK(layout(6).shape == GroupShape(std::vector{2, 4}));
  CHECK(layout(12).shape == GroupShape(std::vector{4, 2}));
  CHECK(layout(23) == layout(0));
  CHECK(family.layouts().size() == 3);
  CHECK(members_of(family, 6, family.find(6)->layout) == std::vector<Rank>{6, 7, 8, 9, 10, 11});
}

TEST_CASE("the shape of a list is derived from where its ranks sit") {
  const Topology topology = platform();
  const auto check = [&](std::vector<Rank> ranks, const std::vector<Dimension>& expected,
                         const GroupShape& shape, bool last_along_level) {
    const GroupFamily family(topology, {"", RankLists{ranks}});
    const GroupLayout& layout = family.layouts()[0];
    CHECK(dimensions_of(layout) == expected);
    CHECK(layout.shape == shape);
    CHECK(layout.dimensions.back().one_level == last_along_level);
    std::sort(ranks.begin(), ranks.end());
    CHECK(members_of(family, ranks[0], 0) == ranks);
    check_places(topology, family);
    CHECK_FALSE(family.find(63));
  };
  check({0, 1, 2, 3, 4, 5}, {{0, 6, 1}}, 6, true);
  check({9, 0, 8, 1}, {{0, 2, 1}, {1, 2, 2}}, GroupShape(2, 2), true);
  check({0, 1, 10, 11}, {{0, 2, 1}, {1, 2, 2}}, GroupShape(2, 2), false);  // other local ranks
  check({0, 1, 2, 3, 4, 5, 8, 9}, {{1, 8, 1}}, GroupShape(std::vector{6, 2}), false);
  // Two of each node, three nodes of one rack and one of the other: even in nodes, not in racks.
  check({0, 1, 8, 9, 16, 17, 32, 33}, {{0, 2, 1}, {2, 4, 2}}, GroupShape(2, 4), false);
}

std::vector<Rank> in_turn(const Topology& topology, const Communicator& communicator) {
  const GroupFamily family(topology, communicator);
  check_places(topology, family);
  const GroupDimension& dimension = family.layouts()[0].dimensions.back();
  const RankLine line = family.line(0, 0, dimension);
  std::vector<Rank> ranks;
  for (std::int32_t m = 0; m < dimension.size; ++m) ranks.push_back(line.at(m));
  return ranks;
}

// Stages of a pipeline, four ranks each, on one switch: a ring visits the first rank of each stage,
// then the second of each. On a ring of wires it goes from neighbour to neighbour.
TEST_CASE("the rows of a group are taken in turn where all places are alike") {
  const LevelSpec places = switch_level(8, gigabytes_per_second(10), nanoseconds(100));
  const Topology topology({{places}});
  CHECK(in_turn(topology, {"", std::vector<Extent>{{8, 1}}, 2}) ==
        std::vector<Rank>{0, 4, 1, 5, 2, 6, 3, 7});
  CHECK(in_turn(topology, {"", std::vector<Extent>{{8, 1}}, 3}) ==
        std::vector<Rank>{0, 1, 2, 3, 4, 5, 6, 7});  // not of equal size
  CHECK(in_turn(topology, {"", RankLists{{0, 1, 6, 7}, {2, 3, 4, 5}}, 2}) ==
        std::vector<Rank>{0, 6, 1, 7});
  LevelSpec wires = places;
  wires.kind = LevelKind::ring;
  CHECK(in_turn(Topology({{wires}}), {"", std::vector<Extent>{{8, 1}}, 2}) ==
        std::vector<Rank>{0, 1, 2, 3, 4, 5, 6, 7});
}

// Servers of one NPU. On one rail any two are two links apart. Of four leaves with two each, the
// last dimension is the leaves, any two of which are four links apart. Three leaves of up to three
// servers are no level (8 is not 3 x 3), and servers are two or four links apart: a ring stays on
// its leaf while it can.
TEST_CASE("the rows of a group are taken in turn on a graph whose places are equally far") {
  const Communicator all{"", std::vector<Extent>{{8, 1}}, 2};
  const Wire wire{gigabytes_per_second(10), nanoseconds(100)};
  RailSpec rail;
  rail.nodes = 8;
  rail.wire = wire;
  CHECK(in_turn(Topology(build_rail(rail)), all) == std::vector<Rank>{0, 4, 1, 5, 2, 6, 3, 7});
  LeafSpineSpec leaves;
  leaves.nodes = 8;
  leaves.wire = wire;
  leaves.leaves = leaves.spines = 4;
  leaves.plugs = 2;
  CHECK(in_turn(Topology(build_leaf_spine(leaves)), all) == std::vector<Rank>{0, 4, 2, 6});
  leaves.leaves = leaves.plugs = leaves.spines = 3;
  CHECK(in_turn(Topology(build_leaf_spine(leaves)), all) ==
        std::vector<Rank>{0, 1, 2, 3, 4, 5, 6, 7});
}

// Four stages of two ranks, of which the outer and the inner two are a group: which rank of a stage
// it is, is a digit of the positions, and with the rows in turn the upper one of the members.
TEST_CASE("a digit in which lists step evenly is one of their positions") {
  using Place = GroupFamily::DigitInGroup::Place;
  const Topology topology({{switch_level(8, gigabytes_per_second(10), nanoseconds(100))}});
  const GroupFamily family(topology, {"", RankLists{{0, 1, 6, 7}, {2, 3, 4, 5}}, 2});
  const auto inside = family.find(Digit{2, 1});
  REQUIRE(inside.place == Place::inside);
  CHECK(inside.position == Digit{2, 1});
  CHECK(family.layouts()[0].dimensions[0].members_of(inside.position) == Digit{2, 2});
  CHECK(family.find(Digit{4, 2}).place == Place::across);
  CHECK(family.find(Digit{2, 4}).place == Place::across);
  // Pairs of the same ranks: the digit is outside.
  const GroupFamily pairs(topology, {"", RankLists{{0, 6}, {1, 7}, {2, 4}, {3, 5}}});
  CHECK(pairs.find(Digit{2, 1}).place == Place::outside);
}

TEST_CASE("a communicator that breaks its rules is refused") {
  const Topology topology = platform();
  const auto family = [&](Grouping groups) { return GroupFamily(topology, {"x", groups}); };
  CHECK_THROWS(family(std::vector<Extent>{{4, 1}, {2, 2}}));  // overlap
  CHECK_THROWS(family(std::vector<Extent>{{3, 1}}));          // 64 ranks in threes
  CHECK_THROWS(family(RankLists{{0, 64}}));                   // no such rank
  CHECK_THROWS(family(RankLists{{0}}));                       // alone
  CHECK_THROWS(family(RankLists{{0, 1}, {1, 2}}));            // twice
}

// {4, 3} switches. Half of each node, 2 x 3 ranks, ring, baseline: 2(2-1) S for each of 3 pairs
// inside, 2(3-1) S for each of 2 triples outside, and that for both halves.
TEST_CASE("a group that spans half a node works") {
  const std::int64_t size = 6'000;
  SystemSpec spec = plain_system("ring");
  World world({switch_level(4, gigabytes_per_second(1), nanoseconds(500)),
               switch_level(3, gigabytes_per_second(1), nanoseconds(500))},
              spec, World::everywhere(12, {collective(0, Collective::all_reduce, bytes(size))}));
  world.job.communicators[0].groups = std::vector<Extent>{{2, 1}, {3, 4}};
  world.rebuild();
  world.run();
  REQUIRE(world.runner->finished());
  const auto& levels = world.network->statistics().levels;
  CHECK(levels[0].bytes_by_label[0] == bytes(2 * 3 * 2 * size));
  CHECK(levels[1].bytes_by_label[0] == bytes(2 * 2 * 4 * size));
}

// Ranks 0 1 2 and 4 of {4, 2}: a ring of four, 0 1 2 4. Two of its hops cross, 2 -> 4 and 4 -> 0;
// 2 -> 4 also goes from local rank 2 to 0. Each hop carries 2(4-1)/4 S.
TEST_CASE("an uneven list is one ring in the order of its ranks") {
  const std::int64_t size = 4'000;
  std::vector<std::vector<Operation>> programs(8);
  for (const Rank rank : {0, 1, 2, 4})
    programs[rank] = {collective(0, Collective::all_reduce, bytes(size))};
  World world({switch_level(4, gigabytes_per_second(1), nanoseconds(500)),
               switch_level(2, gigabytes_per_second(1), nanoseconds(500))},
              plain_system("ring"), programs);
  world.job.communicators[0].groups = RankLists{{0, 1, 2, 4}};
  world.rebuild();
  world.run();
  REQUIRE(world.runner->finished());
  const auto& levels = world.network->statistics().levels;
  CHECK(levels[0].bytes_by_label[0] == bytes(3 * 3 * size / 2));
  CHECK(levels[1].bytes_by_label[0] == bytes(2 * 3 * size / 2));
}

TEST_CASE("who is not in a group cannot call its collectives") {
  World world({switch_level(4, gigabytes_per_second(1), nanoseconds(500))}, plain_system("ring"),
              World::everywhere(4, {collective(0, Collective::all_reduce, bytes(100))}));
  world.job.communicators[0].groups = RankLists{{0, 1}};
  world.rebuild();
  CHECK_THROWS_AS(world.run(), JobError);
}

}  // namespace
}  // namespace orrery
