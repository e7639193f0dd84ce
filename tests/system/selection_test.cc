// algorithms: auto and ranges of sizes.
#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>

#include "network/topology/builders/rail.h"
#include "network/topology/builders/tree.h"
#include "system/collective/capability.h"
#include "system/collective/phases.h"
#include "system/rank/automatic_choice.h"
#include "system/rank/selection.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

using Platform = std::vector<LevelSpec>;

Platform node() { return {switch_level(8, gigabytes_per_second(450), nanoseconds(500))}; }
Platform ring_of_six() {
  LevelSpec ring = switch_level(6, gigabytes_per_second(50), nanoseconds(700));
  ring.kind = LevelKind::ring;
  return {ring};
}
Platform nodes() {
  Platform platform{switch_level(4, gigabytes_per_second(300), nanoseconds(300)),
                    switch_level(3, gigabits_per_second(200), microseconds(2))};
  platform[0].scope = Scope::local;
  return platform;
}

std::int32_t size_of(const Platform& platform) {
  std::int32_t ranks = 1;
  for (const LevelSpec& level : platform) ranks *= level.size;
  return ranks;
}

SystemSpec with(const CollectiveSpec& collective_spec) {
  SystemSpec spec;
  for (CollectiveSpec& one : spec.collectives) one = collective_spec;
  return spec;
}

struct SelectedRun {
  Duration time;
  std::vector<Choice> choices;
  std::string chosen;
};

// The whole job runner, as for any job.
SelectedRun run(const Platform& platform, const CollectiveSpec& spec, Collective kind, Bytes size) {
  const std::int32_t ranks = size_of(platform);
  World world(platform, with(spec), World::everywhere(ranks, {collective(0, kind, size)}));
  SelectedRun result{world.run(), {}, ""};
  REQUIRE(world.runner->finished());
  const Selection& selection = world.runner->selection();
  result.choices = selection.choices();
  if (!result.choices.empty()) {
    const Choice& choice = result.choices.front();
    result.chosen = text_of(choice, selection.spec(kind, choice.spec));
  }
  return result;
}

// Whether all phases of a candidate are among what `auto` tries.
bool is_candidate(const CollectiveSpec& spec, Collective kind, const Platform& platform) {
  const auto orders = orders_of(spec.schedule, static_cast<int>(platform.size()));
  for (const Phase& phase : make_phases(kind, spec.schedule, orders.front())) {
    const NamedAlgorithm& algorithm = algorithm_on(spec, phase.dimension);
    const auto tried = algorithms_tried(phase.kind);
    if (std::find(tried.begin(), tried.end(), algorithm.name) == tried.end() ||
        !is_tried(algorithm, phase.kind, platform[phase.dimension].size))
      return false;
  }
  return true;
}

// The least simulated time, over schedules, chunks and algorithms on up to two levels.
Duration best_by_simulation(const Platform& platform, Collective kind, Bytes size) {
  std::optional<Duration> best;
  std::vector<std::string_view> names(algorithms_tried(kind).begin(), algorithms_tried(kind).end());
  for (const auto schedule :
       {HierarchicalSchedule::baseline, HierarchicalSchedule::local_bandwidth_aware})
    for (const std::int32_t chunks : {1, 8, 32})
      for (const std::string_view inner : names)
        for (const std::string_view outer : names) {
          CollectiveSpec spec;
          spec.chunks = chunks;
          spec.schedule = schedule;
          spec.algorithms = {inner, outer};
          spec.algorithms.resize(platform.size());
          if (!is_candidate(spec, kind, platform)) continue;
          const bool cuts = inner == "direct" || (outer == "direct" && platform.size() > 1);
          if (cuts && kind == Collective::all_reduce && size < kLeastPiece * size_of(platform))
            continue;
          const Duration time = run(platform, spec, kind, size).time;
          if (!best || time < *best) best = time;
          if (platform.size() == 1) break;
        }
  return *best;
}

CollectiveSpec automatic() {
  CollectiveSpec spec;
  spec.algorithms = {kAutomatic};
  spec.any_schedule = spec.any_chunks = true;
  return spec;
}

// The tolerance is what the closed form leaves out: chunks of two levels that meet at a port.
TEST_CASE("auto is within a tenth of the best that it could have chosen") {
  for (const Platform& platform : {node(), ring_of_six(), nodes()})
    for (const Collective kind : {Collective::all_reduce, Collective::all_gather,
                                  Collective::reduce_scatter, Collective::all_to_all})
      for (const Bytes size :
           {bytes(4), kibibytes(1), kibibytes(64), mebibytes(4), mebibytes(256), mebibytes(1024)}) {
        const SelectedRun chosen = run(platform, automatic(), kind, size);
        INFO(name_of(kind) << " of " << size.value << " B among " << size_of(platform) << ": "
                           << chosen.chosen);
        CHECK(chosen.time.value * 10 <= best_by_simulation(platform, kind, size).value * 11);
        REQUIRE(chosen.choices.size() == 1);
        // On a ring the prediction counts links that messages pass, which this backend does not.
        if (platform.size() == 1 && platform[0].kind == LevelKind::ring)
          CHECK(chosen.choices[0].predicted >= chosen.time);
        else
          CHECK(chosen.choices[0].predicted == chosen.time);
      }
}

// Among 8 on a switch, L = 2 x 0.5 us + 2 x 10 ns = 1.02 us. Whole buffers are exchanged three
// times, 3 (L + S/B). `direct` sends parts twice, 2 L + 7/4 S/B, which is less whatever S is: from
// 8 parts of 8 B on. More bytes than 7/4 S there never are. A ring, 14 L + 7/4 S/B, is as fast
// within a hundredth from 12 L B / (7/4 %) = 0.31 GB on, and takes a port for S/8 at a time, where
// `direct` takes it for 7/8 S.
TEST_CASE("auto takes few steps for small buffers and few bytes for large ones") {
  const Duration step = nanoseconds(1020);
  const Bandwidth rate = gigabytes_per_second(450);
  const SelectedRun norm = run(node(), automatic(), Collective::all_reduce, bytes(4));
  CHECK(norm.chosen == "recursive_doubling, 1 chunk");
  CHECK(norm.time == (step + transfer_time(bytes(4), rate)) * 3);
  CHECK(run(node(), automatic(), Collective::all_reduce, bytes(63)).chosen == norm.chosen);
  const SelectedRun small = run(node(), automatic(), Collective::all_reduce, bytes(64));
  CHECK(small.chosen == "direct, 1 chunk");
  CHECK(small.time == (step + transfer_time(bytes(8), rate) * 7) * 2);
  const SelectedRun large = run(node(), automatic(), Collective::all_reduce, mebibytes(1024));
  CHECK(large.chosen == "ring, 1 chunk");
  CHECK(large.time == (step + transfer_time(mebibytes(128), rate)) * 14);
}

// Among 256 on a switch `direct` would need 255 connections. Exchanging all takes 8 (L + S/B) and a
// port for S/B at once, pat 16 L + 2 x 255/256 S/B and a port for S/2B. The sums are equal at
// S = 8 L B / (9 - 2.492) = 1.2293 L B, for L = 2.02 us and B = 50 GB/s at 124 kB. A ring has 510
// L, and less bytes than pat it has not: of 64 MiB it takes 3.70 ms instead of 2.71. But of 1
// GiB 43.8 instead of 42.8, and pat takes a port for 10.7 ms at once.
TEST_CASE("auto changes from few steps to few bytes where their times are equal") {
  const Platform platform{switch_level(256, gigabytes_per_second(50), microseconds(1))};
  CollectiveSpec whole = automatic();  // without chunks, of which one hides the latency of others
  whole.any_chunks = false;
  whole.chunks = 1;
  const auto chosen = [&](Bytes size) {
    return run(platform, whole, Collective::all_reduce, size).chosen;
  };
  CHECK(chosen(bytes(4)) == "recursive_doubling");
  CHECK(chosen(bytes(114'688)) == "recursive_doubling");
  CHECK(chosen(bytes(131'072)) == "pat");
  CHECK(chosen(mebibytes(64)) == "pat");
  CHECK(chosen(mebibytes(1024)) == "ring");
}

// Reduce-scatters of replicas, 64 on a switch of 50 GB/s, L = 2.02 us. Of 150 MB a ring takes 63 L
// + 63/64 S/B = 3.08 ms, pat, in 6 steps, 2.97 ms, and direct in one 2.96 ms: all are within a
// tenth. A message of a pipeline that comes in between waits for what was posted at once, 47 us
// behind a ring's piece, 1.5 ms behind pat's half of the buffer, 2.95 ms behind all pieces of
// direct. Of 1.5 MB direct takes 31.6 us, pat 41.7 and a ring at least its latency, 127 us.
TEST_CASE("auto leaves room for messages that come in between") {
  const Platform platform{switch_level(64, gigabytes_per_second(50), microseconds(1))};
  const auto chosen = [&](std::int64_t size) {
    return run(platform, automatic(), Collective::reduce_scatter, bytes(size)).chosen;
  };
  CHECK(chosen(150'000'000).starts_with("ring, "));
  CHECK(chosen(300'000) == "direct, 1 chunk");
}

// 4 B are not cut, and six ranks are no power of two. Reducing and gathering by pat takes 2 x 3
// steps, as a tree does up and down, where a ring takes 10; 12 ranks 2 x 4 of 22, 48 ranks 2 x 6
// of 94. L = 1.02 us, and the bytes of a step take less than 1 ns.
TEST_CASE("auto sums a few bytes of any number of ranks in as many steps as a tree") {
  for (const auto& [ranks, steps] : {std::pair{6, 6}, {12, 8}, {48, 12}}) {
    const Platform platform{switch_level(ranks, gigabytes_per_second(450), nanoseconds(500))};
    const SelectedRun norm = run(platform, automatic(), Collective::all_reduce, bytes(4));
    CHECK(norm.chosen == "pat, 1 chunk");
    CHECK(norm.time >= nanoseconds(1020) * steps);
    CHECK(norm.time < nanoseconds(1021) * steps);
  }
}

// Among 8 at 500 GB/s, 2 ps a byte; L = 1.02 us; a call costs 8 us, a step 3 us more. 80 MB by a
// ring are 14 (3 us + L + 20 us). Steps of several chunks would overlap, 2 of direct cost less: but
// the costs are those of whole calls, and of rings. Nor has a library exchanges within a node: 4 B
// go round the ring too, each rank's port sends 14/8 of them.
TEST_CASE("under a protocol auto takes what libraries have, in one chunk") {
  const Platform platform{switch_level(8, gigabytes_per_second(500), nanoseconds(500))};
  const Topology topology({platform});
  CollectiveSpec any = automatic();
  any.protocol = Protocol::automatic;
  SystemSpec system = with(any);
  system.protocols = {{Protocol::simple, "", microseconds(8), microseconds(3), {1, 1}}};
  const auto choice = [&](Collective kind, std::int64_t size) {
    PhaseCosts costs(topology, system);
    return choose_automatically(topology, system, costs, any, {{0, 8}}, kind, bytes(size)).value();
  };
  const Duration step = microseconds(3) + nanoseconds(1020);
  const AutomaticChoice large = choice(Collective::all_reduce, 80'000'000);
  CHECK(names_of(large.spec.algorithms, "+") == "ring");
  CHECK(large.spec.chunks == 1);
  CHECK(large.predicted == microseconds(8) + (step + microseconds(20)) * 14);
  const AutomaticChoice norm = choice(Collective::all_reduce, 4);
  CHECK(names_of(norm.spec.algorithms, "+") == "ring");
  CHECK(norm.predicted == microseconds(8) + step * 14 + picoseconds(14));
  CHECK(names_of(choice(Collective::all_gather, 800).spec.algorithms, "+") == "ring");
  CHECK(names_of(choice(Collective::all_to_all, 800).spec.algorithms, "+") == "direct");
  // Who measured direct sums says so.
  system.protocols.push_back(
      {Protocol::simple, "direct", microseconds(8), microseconds(3), {1, 1}});
  const AutomaticChoice direct = choice(Collective::all_reduce, 8'000);
  CHECK(names_of(direct.spec.algorithms, "+") == "direct");
  CHECK(direct.predicted == microseconds(8) + (step + picoseconds(14'000)) * 2);
}

// Nodes of 2 at 500 GB/s, 3 of them at 50 GB/s, L = 1.02 and 2.02 us; a call costs 8 us, a step 3
// us more. Of 120 MB each of c chunks is summed inside in 4.02 + 120/c us, and gathered inside as
// fast. Outside a ring over the nodes sends 2/3 of the half that is left, twice, but one that
// passes all six ranks 5/6 of it, 5/4 as much: 4 (5.02 + 500/c) us. The next chunk waits for this
// only. c = 4 is least, 2156 us; 8 take 2 % more, and half as long for a message that comes in
// between.
TEST_CASE("under a protocol levels work side by side, and a level does chunks in turn") {
  Platform platform{switch_level(2, gigabytes_per_second(500), nanoseconds(500)),
                    switch_level(3, gigabytes_per_second(50), microseconds(1))};
  platform[0].scope = Scope::local;
  CollectiveSpec any = automatic();
  any.protocol = Protocol::automatic;
  SystemSpec system = with(any);
  system.protocols = {{Protocol::simple, "", microseconds(8), microseconds(3), {1, 1}}};
  World world(platform, system,
              World::everywhere(6, {collective(0, Collective::all_reduce, bytes(120'000'000))}));
  const Duration inside = nanoseconds(4'020) + microseconds(15),
                 outside = (nanoseconds(5'020) + nanoseconds(62'500)) * 4;
  CHECK(world.run() == microseconds(8) + inside * 2 + outside * 8);
  const Selection& selection = world.runner->selection();
  REQUIRE(selection.choices().size() == 1);
  const Choice& choice = selection.choices()[0];
  CHECK(text_of(choice, selection.spec(choice.kind, choice.spec)) ==
        "ring/simple, local_bandwidth_aware in turn, 8 chunks");
}

// Ranks have roles in a tree: its chunks follow each other, so there are many. A ring has one.
TEST_CASE("under a protocol named algorithms have as many chunks as suit them") {
  const auto chosen = [](const std::string& algorithm, Collective kind) {
    CollectiveSpec spec = automatic();
    spec.algorithms = {algorithm};
    spec.protocol = Protocol::simple;
    SystemSpec system = with(spec);
    system.protocols = {{Protocol::simple, "", microseconds(8), microseconds(3), {1, 1}}};
    World world(node(), system, World::everywhere(8, {collective(0, kind, mebibytes(64))}));
    world.run();
    const Choice& choice = world.runner->selection().choices().at(0);
    return text_of(choice, world.runner->selection().spec(kind, choice.spec));
  };
  CHECK(chosen("ring", Collective::all_reduce) == "ring/simple, 1 chunk");
  CHECK(chosen("double_binary_tree", Collective::all_reduce) ==
        "double_binary_tree/simple, 16 chunks");
  CHECK(chosen("chain", Collective::broadcast) == "chain/simple, 16 chunks");
}

// On a ring of 8 a part of S/8 goes 1, 2, 3 and 4 links far, up and down: 16 links of which each
// rank has two. So a link carries 8 parts: 1 GB at 100 GB/s, 10 ms, and the latencies. The ports of
// a rank alone, which are what the analytical backend knows, would take 5 ms.
TEST_CASE("what is predicted of a ring counts the links that messages pass") {
  LevelSpec ring = switch_level(8, gigabytes_per_second(100), nanoseconds(500));
  ring.kind = LevelKind::ring;
  const SelectedRun chosen = run({ring}, automatic(), Collective::all_to_all, bytes(1'000'000'000));
  REQUIRE(chosen.choices.size() == 1);
  CHECK(chosen.choices[0].predicted >= milliseconds(10));
  CHECK(chosen.choices[0].predicted <= milliseconds(10) + microseconds(100));
}

// Leaves of 8 NPUs with two uplinks, all links of 100 Gb/s: across the spines an NPU gets a quarter
// of its port while all send there. Of 4 members each is on a leaf of its own, and all hops of a
// ring cross. Of 12 in a row at least three share a leaf, and one hop of three crosses.
TEST_CASE("of a ring along a leaf only the last member crosses the taper") {
  const Wire cable{gigabits_per_second(100), microseconds(1)};
  TreeSpec tree;
  tree.tiers = {{"leaf", 8, 2, cable}, {"spine", 4, 0, cable}};
  const Topology topology(build_tree(tree));
  const SystemSpec system = with(automatic());
  PhaseCosts costs(topology, system);
  const auto rate = [&](std::int32_t members) {
    const PhaseLevel level = costs.levels_of({{1, members}}, Collective::all_reduce).front();
    return costs.of(NamedAlgorithm("ring"), Collective::all_reduce, level)->bandwidth;
  };
  CHECK(rate(4) == gigabits_per_second(25));
  CHECK(rate(12) == gigabits_per_second(75));
  CHECK(rate(32) == gigabits_per_second(100));  // no more than the port
}

// The norm of the gradients of 16,384 ranks, 8 to a node: 3 exchanges in the node, 11 between 2,048
// nodes. 4 B take 9 ps at 450 GB/s and 80 ps at 50 GB/s. Every step is an exchange of all ranks.
TEST_CASE("auto sums a few bytes of 16,384 ranks in 14 steps") {
  Platform platform{switch_level(8, gigabytes_per_second(450), nanoseconds(500)),
                    switch_level(2048, gigabytes_per_second(50), microseconds(1))};
  platform[0].scope = Scope::local;
  const Topology topology({platform});
  const SystemSpec system = with(automatic());
  PhaseCosts costs(topology, system);
  const GroupAlongLevels group = {{0, 8}, {1, 2048}};
  const auto choice = choose_automatically(topology, system, costs, automatic(), group,
                                           Collective::all_reduce, bytes(4));
  REQUIRE(choice);
  CHECK(names_of(choice->spec.algorithms, "+") == "recursive_doubling+recursive_doubling");
  CHECK(choice->messages == 14);
  CHECK(choice->predicted ==
        picoseconds(1'020'009) * 3 + (nanoseconds(2020) + picoseconds(80)) * 11);
  // 256 MiB: each GPU passes 1/8 of it to other nodes, 2 x 2047/2048 x 33.6 MB at 50 GB/s.
  const auto large = choose_automatically(topology, system, costs, automatic(), group,
                                          Collective::all_reduce, mebibytes(256));
  REQUIRE(large);
  CHECK(large->spec.schedule == HierarchicalSchedule::local_bandwidth_aware);
  const Duration wire =
      transfer_time(bytes((256 << 20) / 4 / 2048 * 2047), gigabytes_per_second(50));
  CHECK(large->predicted > wire);
  CHECK(large->predicted.value * 10 < wire.value * 11);
}

// 50 MB among 8 at 300 GB/s: 7 parts of 6.25 MB leave a rank one after the other, 145.8 us, and
// arrive 1.02 us later.
TEST_CASE("auto exchanges all-to-alls directly") {
  const Platform platform{switch_level(8, gigabytes_per_second(300), nanoseconds(500))};
  const SelectedRun chosen = run(platform, automatic(), Collective::all_to_all, bytes(50'000'000));
  CHECK(chosen.chosen == "direct, 1 chunk");
  CHECK(chosen.time ==
        transfer_time(bytes(6'250'000), gigabytes_per_second(300)) * 7 + nanoseconds(1020));
}

// MI300X: eight NPUs, each joined to the seven others by a link of 64 GB/s. A ring sends everything
// through one of them: 14 x S/8 at 64 GB/s. All seven at once take 2 x S/8: 1,048.576 us of 256
// MiB.
TEST_CASE("auto uses all links of a server whose NPUs are fully connected") {
  const RailSpec rails{.node = {.npus = 8,
                                .inside = NodeInside::fully_connected,
                                .link = {gigabytes_per_second(64), nanoseconds(500)},
                                .nics = 8,
                                .bus = {gigabytes_per_second(64), nanoseconds(400)},
                                .affinity = {}},
                       .nodes = 2,
                       .wire = {gigabits_per_second(400), nanoseconds(500)},
                       .spine_wire = {gigabits_per_second(400), nanoseconds(500)}};
  const Topology topology(build_rail(rails));
  CHECK(topology.direct_bandwidth(0) == gigabytes_per_second(64));
  CHECK_FALSE(topology.direct_bandwidth(1));
  const SystemSpec system = with(automatic());
  const auto choice = Selection(topology, system)
                          .fastest(automatic(), {{0, 8}}, Collective::all_reduce, mebibytes(256));
  REQUIRE(choice);
  CHECK(choice->spec.algorithms.at(0).name == "direct");
  CHECK(choice->predicted > picoseconds(1'048'576'000));
  CHECK(choice->predicted < microseconds(1'055));
}

// Under local_bandwidth_aware 4 B cannot be cut among the 8 of a node.
TEST_CASE("auto sends what is too small to be cut whole, under any schedule") {
  CollectiveSpec aware = automatic();
  aware.any_schedule = false;
  aware.schedule = HierarchicalSchedule::local_bandwidth_aware;
  CHECK(run(nodes(), aware, Collective::all_reduce, bytes(4)).chosen.find("baseline") !=
        std::string::npos);
  CHECK(run(nodes(), aware, Collective::all_reduce, mebibytes(64)).chosen.find("aware") !=
        std::string::npos);
}

TEST_CASE("a choice is made once for a kind, size and shape") {
  World world(node(), with(automatic()),
              World::everywhere(8, {collective(0, Collective::all_reduce, kibibytes(64)),
                                    collective(1, Collective::all_reduce, kibibytes(64)),
                                    collective(2, Collective::all_reduce, kibibytes(128))}));
  world.run();
  const auto& choices = world.runner->selection().choices();
  REQUIRE(choices.size() == 2);
  CHECK(choices[0].size == kibibytes(64));
  CHECK(choices[0].candidates > 5);  // four algorithms, up to 32 chunks
  CHECK(choices[1].size == kibibytes(128));
}

CollectiveSpec fixed(const std::string& algorithm) {
  CollectiveSpec spec;
  spec.chunks = 1;
  spec.algorithms = {algorithm};
  return spec;
}

// `below` excludes its limit; what no range covers has the settings outside.
TEST_CASE("ranges say by size what a call gets") {
  CollectiveSpec spec = fixed("ring");
  spec.ranges = {{kibibytes(1), fixed("direct")}, {mebibytes(1), fixed("halving_doubling")}};
  const auto chosen = [&](Bytes size) {
    return run(node(), spec, Collective::all_reduce, size).chosen;
  };
  CHECK(chosen(bytes(1023)) == "direct");
  CHECK(chosen(bytes(1024)) == "halving_doubling");
  CHECK(chosen(bytes((1 << 20) - 1)) == "halving_doubling");
  CHECK(chosen(mebibytes(1)) == "ring");
  spec.ranges.push_back({std::nullopt, fixed("pat")});
  CHECK(chosen(mebibytes(1)) == "pat");
}

TEST_CASE("a range takes the time of what it names") {
  CollectiveSpec spec = fixed("ring");
  spec.ranges = {{kibibytes(1), fixed("direct")}};
  const Bytes size = bytes(800);
  CHECK(run(node(), spec, Collective::all_reduce, size).time ==
        run(node(), fixed("direct"), Collective::all_reduce, size).time);
}

// The bound of a call is that of what was chosen: the broadcast of a chain is bound by S.
TEST_CASE("a range may be automatic") {
  CollectiveSpec spec = fixed("ring");
  CollectiveSpec any = automatic();
  spec.ranges = {{mebibytes(1), any}};
  const SelectedRun small = run(node(), spec, Collective::all_reduce, kibibytes(1));
  CHECK(small.chosen == "direct, 1 chunk");
  CHECK(small.choices[0].automatic);
  const SelectedRun large = run(node(), spec, Collective::all_reduce, mebibytes(1));
  CHECK(large.chosen == "ring");
  CHECK_FALSE(large.choices[0].automatic);
}

}  // namespace
}  // namespace orrery
