// algorithms: auto and ranges of sizes.
#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>

#include "system/collective/phases.h"
#include "system/rank/prediction.h"
#include "system/rank/selection.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

const Bandwidth kBandwidth = gigabits_per_second(100);  // 80 ps a byte
const Duration kPath = nanoseconds(1000);

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

struct Run {
  Duration time;
  std::vector<Choice> choices;
  std::string chosen;
};

// The whole job runner, as for any job.
Run run(const Platform& platform, const CollectiveSpec& spec, Collective kind, Bytes size) {
  const std::int32_t ranks = size_of(platform);
  World world(platform, with(spec), World::everywhere(ranks, {collective(0, kind, size)}));
  Run result{world.run(), {}, ""};
  REQUIRE(world.runner->finished());
  const Selection& selection = world.runner->selection();
  result.choices = selection.choices();
  if (!result.choices.empty()) {
    const Choice& choice = result.choices.front();
    result.chosen = text_of(choice, selection.spec(kind, choice.spec));
  }
  return result;
}

bool can_do(const NamedAlgorithm& algorithm, const CollectiveSpec& spec, Collective kind,
            const Platform& platform) {
  const auto orders = orders_of(spec.schedule, static_cast<int>(platform.size()));
  const auto phases = make_phases(kind, spec.schedule, orders.front());
  return !algorithm.algorithm->needs_reducing_switch() &&
         std::all_of(phases.begin(), phases.end(), [&](const Phase& phase) {
           return algorithm.supports(phase.kind, phase.dimension == kWhole
                                                     ? size_of(platform)
                                                     : platform[phase.dimension].size);
         });
}

Duration best_fixed(const Platform& platform, Collective kind, Bytes size) {
  std::optional<Duration> best;
  for (const auto schedule :
       {HierarchicalSchedule::baseline, HierarchicalSchedule::local_bandwidth_aware,
        HierarchicalSchedule::flat})
    for (const AlgorithmEntry& entry : builtin_algorithms()) {
      CollectiveSpec fixed;
      fixed.chunks = 4;
      fixed.schedule = schedule;
      fixed.algorithms = {entry.name};
      if (!can_do(entry.name, fixed, kind, platform)) continue;
      const Duration time = run(platform, fixed, kind, size).time;
      if (!best || time < *best) best = time;
    }
  return *best;
}

CollectiveSpec automatic() {
  CollectiveSpec spec;
  spec.chunks = 4;
  spec.algorithms = {kAutomatic};
  spec.any_schedule = true;
  return spec;
}

// Tolerance 0: up to kMostMessages the prediction is the simulation, and every algorithm used on
// all levels with either schedule is among the candidates.
TEST_CASE("auto is never slower than the best algorithm used on all levels") {
  for (const Platform& platform : {node(), ring_of_six(), nodes()})
    for (const Collective kind : {Collective::all_reduce, Collective::all_to_all})
      for (const Bytes size :
           {kibibytes(1), kibibytes(64), mebibytes(4), mebibytes(256), mebibytes(1024)}) {
        const Run chosen = run(platform, automatic(), kind, size);
        INFO(name_of(kind) << " of " << size.value << " B among " << size_of(platform) << ": "
                           << chosen.chosen);
        CHECK(chosen.time <= best_fixed(platform, kind, size));
        REQUIRE(chosen.choices.size() == 1);
        CHECK(chosen.choices[0].predicted == chosen.time);
      }
}

// Among 8 on a switch: 1 KiB costs latency only, and recursive doubling has 3 of it, direct 2. For
// 1 GiB the bandwidth decides, 2 * 7/8 S at best; the double tree sends up to 2 S.
TEST_CASE("auto takes few steps for small buffers and few bytes for large ones") {
  const Run small = run(node(), automatic(), Collective::all_reduce, kibibytes(1));
  CHECK(small.chosen == "direct");
  const Run large = run(node(), automatic(), Collective::all_reduce, mebibytes(1024));
  CHECK(large.chosen != "double_binary_tree");
  CHECK(large.time < transfer_time(mebibytes(1024 * 7 / 4), gigabytes_per_second(450)) * 2);
}

// Where the switch adds, 64 MiB goes up once and comes down once, in 4 chunks that overlap: 149 us
// of wire at 450 GB/s and a chunk more, against 2 x 7/8 of 149 us for everyone else.
TEST_CASE("auto lets a switch add that can") {
  Platform adding = node();
  adding[0].in_network_reduction = true;
  const Run chosen = run(adding, automatic(), Collective::all_reduce, mebibytes(64));
  CHECK(chosen.chosen == "in_network");
  CHECK(chosen.time < run(node(), automatic(), Collective::all_reduce, mebibytes(64)).time);
  const Duration once = transfer_time(mebibytes(64), gigabytes_per_second(450));
  CHECK(chosen.time > once);
  CHECK(chosen.time * 4 < once * 5 + microseconds(20));
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
  CHECK(choices[0].candidates > 5);
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
  const Run small = run(node(), spec, Collective::all_reduce, kibibytes(1));
  CHECK(small.chosen == "direct");
  CHECK(small.choices[0].automatic);
  const Run large = run(node(), spec, Collective::all_reduce, mebibytes(1));
  CHECK(large.chosen == "ring");
  CHECK_FALSE(large.choices[0].automatic);
}

// A ring of 1,024: 2 * 1023 * 1024 messages are too many even for one chunk, so the steps of a rank
// are added up: 2(N-1)(L + T(S/N)), which is also the closed form of the simulation. No injection
// latency here. Further chunks follow at the rate of the port: T of the bytes of a chunk.
TEST_CASE("predictions of many messages add up the steps of a rank") {
  SystemSpec system = plain_system("ring");
  const std::int32_t n = 1024;
  const Platform platform{switch_level(n, kBandwidth, kPath - nanoseconds(500))};
  const Duration piece = transfer_time(bytes(1000), kBandwidth);
  CollectiveSpec spec = fixed("ring");
  const Duration one = (kPath + piece) * (2 * (n - 1));
  CHECK(predicted_time(platform, system, spec, Collective::all_reduce, bytes(1000 * n)) == one);
  spec.chunks = 3;
  CHECK(predicted_time(platform, system, spec, Collective::all_reduce, bytes(3 * 1000 * n)) ==
        one + piece * (2 * (n - 1)) * 2);
}

// 96 ranks, 64 chunks: 1.17 million messages, one chunk and two are simulated instead. Chunks of
// 6 MB keep the ports busy, so the others follow at the rate of the second.
TEST_CASE("predictions of many chunks continue the first two", "[slow]") {
  SystemSpec system = plain_system("ring");
  const Platform platform{switch_level(96, kBandwidth, nanoseconds(500))};
  CollectiveSpec spec = fixed("ring");
  spec.chunks = 64;
  const Bytes size = bytes(96LL * 64'000 * 64);
  const Duration predicted = predicted_time(platform, system, spec, Collective::all_reduce, size);
  World world(platform, with(spec),
              World::everywhere(96, {collective(0, Collective::all_reduce, size)}));
  world.spec.queue_limit = 64;
  const Duration simulated = world.run();
  CHECK(static_cast<double>(predicted.value) ==
        Approx(static_cast<double>(simulated.value)).epsilon(0.05));
}

}  // namespace
}  // namespace orrery
