// Flat groups: one algorithm over ranks that share nodes. What crosses nodes, where, and what it
// costs.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <map>
#include <set>

#include "core/base/random.h"
#include "system/collective/explicit_plan.h"
#include "system/collective/plan_check.h"
#include "system/collective/rooted_plan.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

// {2,2}, {4,8}; {3,5,2} and {8,2,4}, whose nodes are the innermost level; and uneven ones.
const std::vector<GroupShape> kShapes = {GroupShape(2, 2),
                                         GroupShape(4, 8),
                                         GroupShape(3, 10),
                                         GroupShape(8, 8),
                                         GroupShape(5, 3),
                                         GroupShape(std::vector{6, 2}),
                                         GroupShape(std::vector{1, 4, 3}),
                                         GroupShape(std::vector{2, 5, 1, 4})};

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const AlgorithmEntry& entry : builtin_algorithms()) result.emplace_back(entry.name);
  for (const char* name : {"ring:2", "ring:3", "ring:4", "ring:8", "double_binary_tree:2",
                           "double_binary_tree:3", "binary_tree:2", "binary_tree:4"})
    result.emplace_back(name);
  return result;
}

std::string text_of(const GroupShape& shape) {
  std::vector<std::int32_t> members;
  for (std::int32_t node = 0; node < shape.nodes(); ++node) members.push_back(shape.members(node));
  return fmt::format("{}", fmt::join(members, " "));
}

TEST_CASE("every algorithm is proved for groups that span nodes") {
  for (const GroupShape& shape : kShapes)
    for (const std::string& name : names())
      for (int i = 0; i < collective_count; ++i) {
        const auto kind = static_cast<Collective>(i);
        const auto algorithm = find_algorithm(name);
        if (planned_as(kind) != kind || !algorithm->supports(kind, shape.size())) continue;
        for (int variant = 0; variant < algorithm->variants(); ++variant) {
          INFO(name << " " << name_of(kind) << " of " << text_of(shape) << ", variant " << variant);
          CHECK(proof::prove(kind, shape.size(), *algorithm->plan(kind, shape, variant)) == "");
        }
      }
}

TEST_CASE("flat plans are proved for every root") {
  for (const GroupShape& shape : {GroupShape(4, 3), GroupShape(std::vector{2, 5, 1, 4})})
    for (const std::string& name : names())
      for (const Collective kind : {Collective::broadcast, Collective::reduce}) {
        const auto algorithm = find_algorithm(name);
        if (!algorithm->supports(kind, shape.size())) continue;
        for (int root = 0; root < shape.size(); ++root) {
          INFO(name << " " << name_of(kind) << " of " << text_of(shape) << ", root " << root);
          const int variant = root % algorithm->variants();
          const GroupShape counted = shape.counted_from(shape.node_of(root));
          const auto plan = algorithm->plan(kind, counted, variant);
          const auto rooted = rooted_at(root, shape, *plan);
          CHECK(proof::prove(kind, shape.size(), *rooted, root) == "");
        }
      }
}

// The hops of a channel: who sends to whom.
std::map<Position, Position> hops_of(const Plan& plan, int size, int lane) {
  std::map<Position, Position> next;
  for (Position rank = 0; rank < size; ++rank) next[rank] = plan.send(rank, lane, 0, 0).to;
  return next;
}

TEST_CASE("a channel of a ring crosses each node's boundary once in and once out") {
  for (const GroupShape& shape : kShapes)
    for (const char* name : {"ring", "ring:2", "ring:3", "ring:4", "ring:8"}) {
      const auto plan = find_algorithm(name)->plan(Collective::all_reduce, shape, 0);
      for (int lane = 0; lane < plan->lanes(); ++lane) {
        INFO(name << " lane " << lane << " of " << text_of(shape));
        const auto hops = hops_of(*plan, shape.size(), lane);
        std::vector<int> in(shape.nodes()), out(shape.nodes());
        int unaligned = 0;
        for (const auto& [from, to] : hops) {
          const std::int32_t a = shape.node_of(from), b = shape.node_of(to);
          if (a == b) continue;
          ++out[a];
          ++in[b];
          unaligned += from - shape.first(a) != to - shape.first(b);
        }
        CHECK(in == std::vector<int>(shape.nodes(), 1));
        CHECK(out == std::vector<int>(shape.nodes(), 1));
        // Among nodes of equal size hops between nodes stay on their rail, but for one if the
        // number of nodes is odd.
        if (shape.counted_from(1) == shape && shape.nodes() * shape.members(0) == shape.size())
          if (std::set<int>{shape.members(0), shape.members(1), shape.members(shape.nodes() - 1)}
                  .size() == 1)
            CHECK(unaligned == shape.nodes() % 2);
      }
    }
}

// {4, 2}: pair 0 is 0 1 2 3 | 7 6 5 4, there and back; pair 1 begins two ranks up: 2 3 0 1 | 5 4
// 7 6.
TEST_CASE("channels enter the nodes at different ranks") {
  const auto plan = find_algorithm("ring:4")->plan(Collective::all_gather, GroupShape(4, 2), 0);
  const auto walk = [&](int lane, Position start) {
    std::vector<Position> way;
    const auto hops = hops_of(*plan, 8, lane);
    for (Position at = start; way.empty() || at != start; at = hops.at(at)) way.push_back(at);
    return way;
  };
  CHECK(walk(0, 0) == std::vector<Position>{0, 1, 2, 3, 7, 6, 5, 4});
  CHECK(walk(1, 4) == std::vector<Position>{4, 5, 6, 7, 3, 2, 1, 0});
  CHECK(walk(2, 2) == std::vector<Position>{2, 3, 0, 1, 5, 4, 7, 6});
  CHECK(walk(3, 6) == std::vector<Position>{6, 7, 4, 5, 1, 0, 3, 2});
  // 8 channels over nodes of 8: everyone is once the first and once the last of its node.
  const auto eight = find_algorithm("ring:8")->plan(Collective::all_gather, GroupShape(8, 2), 0);
  std::map<Position, int> entered;
  for (int lane = 0; lane < 8; ++lane)
    for (const auto& [from, to] : hops_of(*eight, 16, lane))
      if (from / 8 != to / 8) ++entered[to];
  CHECK(entered.size() == 16);
}

// To whom ranks send in an all-reduce: up and down the tree.
std::set<std::pair<Position, Position>> pairs_of(const Plan& plan, int size) {
  std::set<std::pair<Position, Position>> pairs;
  for (Position rank = 0; rank < size; ++rank)
    for (int index = 0;; ++index) {
      const Stage stage = plan.stage(rank, 0, index);
      for (int i = 0; i < stage.sends; ++i) pairs.emplace(rank, plan.send(rank, 0, index, i).to);
      if (stage.last) break;
    }
  return pairs;
}

TEST_CASE("trees stay inside nodes first: one link joins a node to its parent") {
  for (const GroupShape& shape : kShapes)
    for (const char* name : {"double_binary_tree", "double_binary_tree:3", "binary_tree",
                             "binary_tree:2", "binomial_tree", "chain"}) {
      const auto algorithm = find_algorithm(name);
      std::set<Position> gates;
      for (int variant = 0; variant < algorithm->variants(); ++variant) {
        INFO(name << " variant " << variant << " of " << text_of(shape));
        const auto plan = algorithm->plan(Collective::all_reduce, shape, variant);
        int crossings = 0;
        std::set<std::int32_t> reached;
        for (const auto& [from, to] : pairs_of(*plan, shape.size())) {
          if (shape.node_of(from) == shape.node_of(to)) continue;
          ++crossings;
          reached.insert(shape.node_of(to));
          if (shape.node_of(from) == 0) gates.insert(from);
        }
        // A tree of N nodes: N-1 links, up and down; all nodes are joined.
        CHECK(crossings == 2 * (shape.nodes() - 1));
        CHECK(static_cast<std::int32_t>(reached.size()) == shape.nodes());
      }
      const bool two_gates = std::string(name) == "binary_tree:2" && shape.members(0) > 1;
      if (two_gates) CHECK(gates == std::set<Position>{0, shape.members(0) / 2});
    }
}

TEST_CASE("a broadcast leaves the root's node through the gates of its channels") {
  const GroupShape shape(4, 3);
  for (int variant = 0; variant < 8; ++variant) {
    const auto plan =
        find_algorithm("double_binary_tree:4")->plan(Collective::broadcast, shape, variant);
    for (const auto& [from, to] : pairs_of(*plan, 12)) {
      if (from / 4 == to / 4) continue;
      CHECK(from % 4 == variant / 2);
      CHECK(to % 4 == variant / 2);
    }
  }
}

// ---- on a network
// --------------------------------------------------------------------------------

constexpr Bandwidth kInside = gigabytes_per_second(100), kBetween = gigabytes_per_second(10);

std::vector<LevelSpec> levels_of(const std::vector<int>& sizes) {
  std::vector<LevelSpec> levels;
  for (const int size : sizes) {
    levels.push_back(switch_level(size, levels.empty() ? kInside : kBetween, kLink));
    levels.back().scope = levels.size() == 1 ? Scope::local : Scope::scale_out;
  }
  return levels;
}
World flat_world(const std::vector<int>& sizes, const char* algorithm, Collective kind, Bytes size,
                 std::int32_t chunks = 1, std::int32_t root = 0) {
  std::int32_t ranks = 1;
  for (const int s : sizes) ranks *= s;
  SystemSpec spec = plain_system(algorithm);
  for (CollectiveSpec& collective : spec.collectives) {
    collective.schedule = HierarchicalSchedule::flat;
    collective.chunks = chunks;
  }
  return World(levels_of(sizes), spec,
               World::everywhere(ranks, {collective(0, kind, size, {}, {}, root)}));
}

// A hop of a ring carries 2(n-1)/n S, whatever the channels. Of the n hops one for each of the N
// nodes goes between nodes, on a rail, as all N are even here. In {3,5,2} the nodes are (5,2): 10
// hops change the level 1 coordinate, of which 2, 4 -> 5 and 9 -> 0, level 2 as well. In {8,2,4}:
// all 8 change level 1, every other one level 2 as well.
TEST_CASE("the bytes of a flat ring on each level") {
  struct Case {
    std::vector<int> sizes;
    std::vector<int> hops;  // on each level
  };
  for (const Case& c : {Case{{2, 2}, {2, 2}}, Case{{4, 8}, {24, 8}}, Case{{3, 5, 2}, {20, 10, 2}},
                        Case{{8, 2, 4}, {56, 8, 4}}})
    for (const char* algorithm : {"ring", "ring:2", "ring:4"}) {
      std::int64_t n = 1;
      for (const int size : c.sizes) n *= size;
      const Bytes size = bytes(n * 120);
      World world = flat_world(c.sizes, algorithm, Collective::all_reduce, size);
      world.run();
      REQUIRE(world.runner->finished());
      const auto& levels = world.network->statistics().levels;
      for (std::size_t level = 0; level < c.hops.size(); ++level) {
        INFO(algorithm << " of " << n << " on level " << level);
        CHECK(levels[level].bytes_by_label[0] == bytes(c.hops[level] * 2 * (n - 1) * 120));
      }
    }
}

// A tree has n-1 links, N-1 of them between nodes, each carries S up and S down.
TEST_CASE("the bytes of a flat tree inside and between nodes") {
  for (const auto& sizes : {std::vector{2, 2}, std::vector{4, 8}, std::vector{8, 3}})
    for (const char* algorithm :
         {"double_binary_tree", "double_binary_tree:2", "binary_tree", "binomial_tree"}) {
      const std::int64_t n = sizes[0] * sizes[1], nodes = sizes[1], size = 1'000;
      World world = flat_world(sizes, algorithm, Collective::all_reduce, bytes(size), 8);
      world.run();
      REQUIRE(world.runner->finished());
      const auto& levels = world.network->statistics().levels;
      INFO(algorithm << " of " << n);
      CHECK(levels[0].bytes_by_label[0] == bytes(2 * (n - nodes) * size));
      CHECK(levels[1].bytes_by_label[0] == bytes(2 * (nodes - 1) * size));
    }
}

// A chain over {2, 2}, 0 1 2 3, broadcasts 100 kB. Inside: 1 us at 100 GB/s, two links, 10 ns at
// each end. 1 -> 2 changes both coordinates: 10 us at 10 GB/s, four links, 2 us at each end.
TEST_CASE("messages within a node and between nodes have their own endpoint delays") {
  World world = flat_world({2, 2}, "chain", Collective::broadcast, bytes(100'000));
  world.spec.injection_latency = microseconds(2);
  world.spec.local_injection_latency = nanoseconds(10);
  world.rebuild();
  const Duration inside = microseconds(1) + kLink * 2 + nanoseconds(10) * 2;
  const Duration between = microseconds(10) + kLink * 4 + microseconds(2) * 2;
  CHECK(world.run() == inside * 2 + between);
}

// Rank 0 sends to its neighbour and to rank 2 of the other node in one stage: both leave after the
// longer delay, of 2 us, whichever is first. To rank 2 it takes 10 us at 10 GB/s, two links and 2
// us at its end; from there to rank 3 1 us at 100 GB/s, two links and 10 ns at each end.
TEST_CASE("the sends of a stage leave after the longest of their delays") {
  for (const auto& order : {std::vector<Position>{1, 2}, std::vector<Position>{2, 1}}) {
    const auto step = [](StepKind kind, Position peer) {
      return ProgramStep{.kind = kind, .peer = peer, .count = 1};
    };
    MessageProgram program;
    program.kind = Collective::broadcast;
    program.tracks_data = false;
    for (auto& steps : std::vector<std::vector<ProgramStep>>{
             {step(StepKind::send, order[0]), step(StepKind::send, order[1])},
             {step(StepKind::receive, 0)},
             {step(StepKind::receive, 0), step(StepKind::send, 3)},
             {step(StepKind::receive, 2)}})
      program.ranks.push_back({.threads = {steps}});
    World world = flat_world({2, 2}, "chain", Collective::broadcast, bytes(100'000));
    world.spec.collectives[static_cast<std::size_t>(Collective::broadcast)].algorithms = {
        NamedAlgorithm{"by hand", make_explicit_algorithm(program, execute(program)).algorithm}};
    world.spec.injection_latency = microseconds(2);
    world.spec.local_injection_latency = nanoseconds(10);
    world.rebuild();
    const Duration between = microseconds(2) * 2 + microseconds(10) + kLink * 2;
    const Duration inside = nanoseconds(10) * 2 + microseconds(1) + kLink * 2;
    CHECK(world.run() == between + inside);
  }
}

// Cut finely, a ring is as fast as its slowest port: those between nodes, which a channel uses at
// one rank of a node in each direction. 2(n-1)/n S / B; with c channels each carries a c-th.
TEST_CASE("channels of a flat ring share out the ports between nodes") {
  const Bytes size = bytes(32 * 40'000);
  const auto run = [&](const char* algorithm) {
    World world = flat_world({8, 4}, algorithm, Collective::all_reduce, size, 16);
    const Duration time = world.run();
    return std::pair(time, world.runner->call_of(0).value().bandwidth_bound);
  };
  const Duration once = transfer_time(bytes(2 * 31 * 40'000), kBetween);  // 248 us
  const auto [one, bound_of_one] = run("ring");
  CHECK(bound_of_one == once);
  CHECK(one >= once);
  CHECK(one.value < once.value * 11 / 10);
  const auto [two, bound_of_two] = run("ring:2");  // there and back: other ports at both ends
  CHECK(bound_of_two * 2 == once);
  CHECK(two.value < once.value * 6 / 10);
  const auto [four, bound_of_four] = run("ring:4");
  CHECK(bound_of_four * 4 == once);
  CHECK(four.value < once.value * 35 / 100);
  CHECK(four >= bound_of_four);
}

// Baseline over {8, 4}: an all-reduce inside, 2 * 7/8 S / 100 GB/s, then one of the whole buffer
// over 4 nodes at every rank, 2 * 3/4 S / 10 GB/s. A flat ring of one channel: 2 * 31/32 S / 10
// GB/s through one port of each node: slower than baseline, which uses all eight.
TEST_CASE("a flat ring with one channel leaves most ports between nodes idle") {
  const Bytes size = bytes(32 * 40'000);
  World flat = flat_world({8, 4}, "ring", Collective::all_reduce, size);
  World channels = flat_world({8, 4}, "ring:8", Collective::all_reduce, size, 16);
  SystemSpec spec = plain_system("ring");
  World baseline(levels_of({8, 4}), spec,
                 World::everywhere(32, {collective(0, Collective::all_reduce, size)}));
  const Duration slow = flat.run(), fast = channels.run(), middle = baseline.run();
  CHECK(slow > middle);
  CHECK(fast < middle);
}

TEST_CASE("flat collectives with a root work from every root, on uneven groups too") {
  for (const char* algorithm : {"ring:2", "double_binary_tree:2", "binomial_tree", "chain"})
    for (const Collective kind : {Collective::broadcast, Collective::reduce})
      for (std::int32_t root = 0; root < 7; ++root) {
        World world = flat_world({4, 2}, algorithm, kind, bytes(8'000), 4, root);
        world.job.communicators[0].groups = RankLists{{0, 1, 2, 3, 4, 6, 7}};
        std::vector<std::vector<Operation>> programs(8);
        for (const Rank rank : {0, 1, 2, 3, 4, 6, 7})
          programs[rank] = {collective(0, kind, bytes(8'000), {}, {}, root)};
        world.job.operations = std::make_unique<Script>(programs);
        world.rebuild();
        world.run();
        CHECK(world.runner->finished());
      }
}

}  // namespace
}  // namespace orrery
