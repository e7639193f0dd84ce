// What a collective is predicted to take that has too many messages to be simulated.
#include <catch2/catch.hpp>

#include <vector>

#include "system/rank/prediction.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

using Levels = std::vector<LevelSpec>;

CollectiveSpec named_alone(const char* algorithm) {
  return plain_system(algorithm).collectives.front();
}

SystemSpec for_all_kinds(const CollectiveSpec& collective_spec) {
  SystemSpec spec;
  for (CollectiveSpec& one : spec.collectives) one = collective_spec;
  return spec;
}

// A ring of 1,024: 2 * 1023 * 1024 messages are too many even for one chunk, so the steps of a rank
// are added up: 2(N-1)(L + T(S/N)), which is also the closed form of the simulation. No injection
// latency here. Further chunks follow at the rate of the port: T of the bytes of a chunk.
TEST_CASE("predictions of many messages add up the steps of a rank") {
  SystemSpec system = plain_system("ring");
  const std::int32_t n = 1024;
  const Levels platform{switch_level(n, kBandwidth, kPath - nanoseconds(500))};
  const Duration piece = transfer_time(bytes(1000), kBandwidth);
  CollectiveSpec spec = named_alone("ring");
  const Duration one = (kPath + piece) * (2 * (n - 1));
  CHECK(predicted_time(platform, system, spec, Collective::all_reduce, bytes(1000 * n)) == one);
  spec.chunks = 3;
  CHECK(predicted_time(platform, system, spec, Collective::all_reduce, bytes(3 * 1000 * n)) ==
        one + piece * (2 * (n - 1)) * 2);
}

// Eight rings through 64 nodes of 8, each with an eighth of the buffer: a rank leaves its node by
// one of them, and sends 2 x 511 pieces of 100 kB over its port of 50 GB/s, at half of which are
// data: 1022 x 4 us. In the first ring rank 0 sends within its node only, nine times as fast.
TEST_CASE("predictions of many messages know that each lane has links of its own") {
  Levels platform{switch_level(8, gigabytes_per_second(450), nanoseconds(500))};
  platform[0].scope = Scope::local;
  platform.push_back(switch_level(64, gigabytes_per_second(50), nanoseconds(500)));
  SystemSpec system = plain_system("ring:8");
  system.protocols = {{Protocol::ll, "", {}, {}, {1, 2}}};
  CollectiveSpec spec = named_alone("ring:8");
  spec.schedule = HierarchicalSchedule::flat;
  spec.protocol = Protocol::ll;
  const Duration of_port = microseconds(4) * 1022;
  const Bytes size = bytes(100'000LL * 8 * 512);
  const Duration predicted = predicted_time(platform, system, spec, Collective::all_reduce, size);
  CHECK(predicted >= of_port);
  CHECK(predicted < of_port * 2);
}

// A ring of 512 both ways, half of the buffer each, over links of their own: 2 x 511 steps of L and
// 1 kB over 12.5 GB/s, 80 ns. Over one port of a switch the two follow each other, 2 x 1022 x 80 ns
// at the least; the steps of one lane take longer, as L is 1 us.
TEST_CASE("predictions of many messages know that each direction of a ring has a port") {
  const SystemSpec system = plain_system("ring:2");
  const CollectiveSpec spec = named_alone("ring:2");
  LevelSpec ring = switch_level(512, kBandwidth, kPath);
  ring.kind = LevelKind::ring;
  const auto predicted = [&](const LevelSpec& level, std::int64_t piece) {
    return predicted_time({level}, system, spec, Collective::all_reduce, bytes(piece * 2 * 512));
  };
  CHECK(predicted(ring, 1'000) == (kPath + nanoseconds(80)) * 1022);
  CHECK(predicted(ring, 1'000'000) == (kPath + microseconds(80)) * 1022);
  const LevelSpec one_port = switch_level(512, kBandwidth, kPath - nanoseconds(500));
  CHECK(predicted(one_port, 1'000'000) == microseconds(80) * 2 * 1022);
}

// 96 ranks, 64 chunks: 1.17 million messages, so one chunk and two are simulated instead. Chunks of
// 6 MB keep the ports busy, so the others follow at the rate of the second.
TEST_CASE("predictions of many chunks continue the first ones", "[slow]") {
  SystemSpec system = plain_system("ring");
  const Levels platform{switch_level(96, kBandwidth, nanoseconds(500))};
  CollectiveSpec spec = named_alone("ring");
  spec.chunks = 64;
  const Bytes size = bytes(96LL * 64'000 * 64);
  const Duration predicted = predicted_time(platform, system, spec, Collective::all_reduce, size);
  World world(platform, for_all_kinds(spec),
              World::everywhere(96, {collective(0, Collective::all_reduce, size)}));
  world.spec.queue_limit = 64;
  const Duration simulated = world.run();
  CHECK(static_cast<double>(predicted.value) ==
        Approx(static_cast<double>(simulated.value)).epsilon(0.05));
}

// 16 nodes of 8; 32 chunks of 2 MB are too many messages. In the node a chunk takes 2 x 7/8 x 2 MB
// over 1 GB/s of which 4/5 are data, 4.375 ms; between nodes 2 x 15/16 x 250 kB over a quarter of
// that, 1.875 ms, while other chunks are in the node. The first chunk is alone, and waits for its
// part between nodes; what a second one adds to it is 2.5 ms, 80 ms for all. Each of 32 chunks
// keeps the ports of the node busy: 140 ms, and 112 ms if all of it were data.
TEST_CASE("predictions of many chunks fill all levels") {
  Levels platform{switch_level(8, gigabytes_per_second(1), nanoseconds(100))};
  platform[0].scope = Scope::local;
  platform.push_back(switch_level(16, gigabits_per_second(2), nanoseconds(100)));
  CollectiveSpec spec = named_alone("ring");
  spec.schedule = HierarchicalSchedule::local_bandwidth_aware;
  spec.protocol = Protocol::ll;
  spec.chunks = 32;
  SystemSpec system = for_all_kinds(spec);
  system.minimum_chunk = bytes(1);
  system.injection_latency = system.local_injection_latency = Duration{};
  system.protocols = {{Protocol::ll, "", {}, {}, {4, 5}, {}, Scope::local}};
  const Duration predicted =
      predicted_time(platform, system, spec, Collective::all_reduce, bytes(64'000'000));
  CHECK(predicted >= microseconds(140'000));
  CHECK(predicted <= microseconds(143'000));
}

// 16 x 16 ranks, 32 chunks of 8 MB in turns: half of them begin on each level, so a port carries
// (15/16 + 15/256) / 2 of 256 MB over 1 GB/s: 127.5 ms. Two chunks pass side by side; the third one
// goes where the first does, and would count as a chunk alone, 7.5 ms each: 240 ms.
TEST_CASE("predictions of chunks in turns take two of them side by side") {
  const LevelSpec level = switch_level(16, gigabytes_per_second(1), nanoseconds(100));
  CollectiveSpec spec = named_alone("ring");
  spec.schedule = HierarchicalSchedule::torus;
  spec.chunks = 32;
  const Duration predicted = predicted_time({level, level}, for_all_kinds(spec), spec,
                                            Collective::reduce_scatter, bytes(256'000'000));
  CHECK(predicted >= microseconds(127'500));
  CHECK(predicted <= microseconds(140'000));
}

}  // namespace
}  // namespace orrery
