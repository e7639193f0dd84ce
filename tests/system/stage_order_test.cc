// Chunks in turn: messages of plans whose stages come from several senders go in the order of the
// stages, so that a port takes one after the other. By hand, without latency; what it would be
// without that order is from a program of 100 lines that shares no code with this one.
#include <catch2/catch.hpp>

#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

// Four ranks at a switch sum four pieces of 5 MB by `pat`, 100 us each at a port: two pieces to
// the neighbour below, one over two ranks, one back, two to the neighbour above. So a chunk takes
// 600 us.
Duration all_reduced(std::int32_t chunks, Duration late, Bandwidth of_rank_0 = {}) {
  SystemSpec system = plain_system("pat");
  system.protocols = {{Protocol::simple, "", Duration{}, Duration{}, {1, 1}}};
  for (CollectiveSpec& one : system.collectives) {
    one.protocol = Protocol::simple;
    one.in_turn = true;
    one.chunks = chunks;
  }
  auto programs =
      World::everywhere(4, {collective(0, Collective::all_reduce, bytes(20'000'000) * chunks)});
  programs[1].insert(programs[1].begin(), compute(0, late));
  programs[1].back().id = 1;
  const TopologySpec platform{{switch_level(4, gigabytes_per_second(50), Duration{})}};
  const Topology topology(platform);
  NetworkSpec network;
  network.backend = "fluid";
  for (LinkIndex link = 0; of_rank_0.value > 0 && link < std::ssize(topology.links()); ++link) {
    if (topology.link_name(link).find("npu 0") == std::string::npos) continue;
    Fault& fault = network.routing.faults.emplace_back();
    fault.link = link;
    fault.condition = LinkCondition::degraded;
    fault.bandwidth = of_rank_0;
  }
  return World(platform, system, std::move(programs), network).run();
}

// Rank 1 is 10 us late with its two pieces for rank 0. Meanwhile rank 2 has got those of rank 3,
// and would send the next ones to rank 0 at 200 us: its port would take both, and have those of
// rank 1 at 220 us only. All would be later in the same way, stage by stage: 630 us, and with four
// chunks much more.
TEST_CASE("a late rank makes the others as late as it is") {
  CHECK(all_reduced(1, Duration{}) == microseconds(600));
  CHECK(all_reduced(4, Duration{}) == microseconds(2400));
  CHECK(all_reduced(1, microseconds(10)) == microseconds(610));
  CHECK(all_reduced(4, microseconds(10)) == microseconds(2410));
}

// The links of rank 0 carry 7/8, so its messages take 8/7 of the time, and each stage does, since
// the next one waits for it. Without the order four chunks take 1.45 times 2400 us.
TEST_CASE("a slow link makes no more than the messages on it slow") {
  CHECK(all_reduced(4, Duration{}, gigabits_per_second(350)).value / 1'000'000 == 2742);
}

// Chunks that are written are a number, no other model: four of 30 MB go in turn, too, chosen,
// named, and named with their protocol, where nothing is left to choose. It is the case
// with twice the bytes in a chunk of "under a protocol levels work side by side" in
// selection_test.cc: 2156 us. Beside each other levels would take less than 4 (500 + 5.02) us.
TEST_CASE("chunks that are written go in turn, too") {
  std::vector<LevelSpec> platform{switch_level(2, gigabytes_per_second(500), nanoseconds(500)),
                                  switch_level(3, gigabytes_per_second(50), microseconds(1))};
  platform[0].scope = Scope::local;
  const auto time = [&](const char* algorithm, Protocol protocol) {
    CollectiveSpec four;
    four.any_schedule = true;
    four.algorithms = {NamedAlgorithm(algorithm)};
    four.schedule = HierarchicalSchedule::local_bandwidth_aware;
    four.protocol = protocol;
    four.any_chunks = false;
    four.chunks = 4;
    SystemSpec system;
    for (CollectiveSpec& one : system.collectives) one = four;
    system.protocols = {{Protocol::simple, "", microseconds(8), microseconds(3), {1, 1}}};
    return World(platform, system,
                 World::everywhere(6, {collective(0, Collective::all_reduce, bytes(120'000'000))}))
        .run();
  };
  const Duration inside = nanoseconds(4'020) + microseconds(30),
                 outside = (nanoseconds(5'020) + microseconds(125)) * 4;
  const Duration in_turn = microseconds(8) + inside * 2 + outside * 4;
  CHECK(time("ring", Protocol::simple) == in_turn);
  CHECK(time("ring", Protocol::automatic) == in_turn);
  CHECK(time("auto", Protocol::automatic) == in_turn);
}

}  // namespace
}  // namespace orrery
