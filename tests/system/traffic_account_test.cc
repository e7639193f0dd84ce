// What communication of each kind cost a rank, and how much of that was waiting for others.
#include <catch2/catch.hpp>

#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

// Two ranks all-reduce. Rank 1 calls it at once and computes 4 us beside it; rank 0 computes 10 us
// first. So rank 1 hides 4 us, stands from 4 us on, waits for rank 0 until 10 us and then for the
// network, 8 kB in two halves: 8 us and latencies. Rank 0 waits for the network only.
TEST_CASE("exposed time is split at the instant when the last rank has come") {
  World world({switch_level(2, gigabytes_per_second(1), microseconds(1))}, plain_system("ring"),
              {{compute(0, microseconds(10)), collective(1, Collective::all_reduce, bytes(8'000)),
                wait(2, 1)},
               {collective(0, Collective::all_reduce, bytes(8'000)), compute(1, microseconds(4)),
                wait(2, 0)}});
  world.job.labels[0].traffic = world.job.labels[1].traffic = "TP";
  world.rebuild();
  world.run();
  REQUIRE(world.runner->traffic_kinds() == std::vector<std::string>{"TP"});
  const TrafficAccount first = world.runner->traffic(0)[0], second = world.runner->traffic(1)[0];
  CHECK(first.late == Duration{});
  CHECK(first.hidden == Duration{});
  CHECK(first.exposed > microseconds(8));  // 8 kB at 1 GB/s, and latencies
  CHECK(second.late == microseconds(6));
  CHECK(second.hidden == microseconds(4));
  CHECK(second.exposed > microseconds(6 + 8));
  for (const Rank rank : {0, 1}) {
    const RankAccount account = world.runner->account(rank);
    CHECK(account.exposed == world.runner->traffic(rank)[0].exposed);
  }
}

// Rank 1 asks at 0 for what rank 0 sends at 10 us; then at 40 us for what was sent long before.
TEST_CASE("a receive is late until its send is called") {
  const auto send = [](OperationId id) { return Operation{id, 1, SendCall{1, bytes(5'000)}}; };
  const auto receive = [](OperationId id) {
    return Operation{id, 1, ReceiveCall{0, bytes(5'000)}};
  };
  World world({switch_level(2, gigabytes_per_second(1), microseconds(1))}, plain_system("ring"),
              {{compute(0, microseconds(10)), send(1), send(2)},
               {receive(0), Operation{1, 1, Wait{0}}, compute(2, microseconds(30)), receive(3),
                Operation{4, 1, Wait{3}}}});
  world.job.labels[1].traffic = "PP";
  world.rebuild();
  world.run();
  const TrafficAccount account = world.runner->traffic(1)[0];
  CHECK(account.late == microseconds(10));
  CHECK(account.exposed > microseconds(15));
  CHECK(account.exposed < microseconds(18));  // 5 us on the wire, and a latency or two
  CHECK(account.hidden == Duration{});        // it was not called for while rank 1 computed
}

// A ring of 2 exchanges halves of 8 kB twice: 8 us at 1 GB/s, and twice the 2 us of the switch.
TEST_CASE("communication of no kind is accounted by what it is") {
  World world(
      {switch_level(2, gigabytes_per_second(1), microseconds(1))}, plain_system("ring"),
      World::everywhere(2, {collective(0, Collective::all_reduce, bytes(8'000)), wait(1, 0)}));
  world.run();
  REQUIRE(world.runner->traffic_kinds() == std::vector<std::string>{"all_reduce"});
  const TrafficAccount& account = world.runner->traffic(0)[0];
  CHECK(account.exposed == world.runner->account(0).exposed);
  REQUIRE(account.collectives.levels().size() == 1);
  CHECK(account.collectives.levels()[0].carried == microseconds(8));
  CHECK(account.collectives.levels()[0].latency >= microseconds(4));
}

}  // namespace
}  // namespace orrery
