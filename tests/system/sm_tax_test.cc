// Compute beside collectives that take a share of the processor, times by hand.
#include <catch2/catch.hpp>

#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

// Two ranks, 1 GB/s, no latency: a ring all-reduce of 2 S bytes takes 2 S ns (two steps of S).
World world_of(Share tax, std::vector<Operation> program) {
  SystemSpec spec = plain_system("ring");
  spec.sm_tax = tax;
  return World({switch_level(2, gigabytes_per_second(1), {})}, spec,
               World::everywhere(2, std::move(program)));
}

Operation all_reduce(OperationId id, std::int64_t nanoseconds_long) {
  return collective(id, Collective::all_reduce, bytes(nanoseconds_long));
}

// All of the 1000 ns of work beside the collective of 2000 ns: at 3/4 of the rate, 1333.333 ns,
// rounded up to a picosecond; 333.334 of them stolen. The wait for the rest is exposed.
TEST_CASE("work beside a collective goes on at the rest of the rate") {
  World world = world_of({1, 4}, {all_reduce(0, 2000), compute(1, nanoseconds(1000)), wait(2, 0)});
  CHECK(world.run() == nanoseconds(2000));
  const RankAccount account = world.runner->account(0);
  CHECK(account.compute == picoseconds(1'333'334));
  CHECK(account.stolen == picoseconds(333'334));
  CHECK(account.exposed == picoseconds(2'000'000 - 1'333'334));
  CHECK(account.idle == Duration{});
}

// Rank 0 sends 600 B and works for 1000 ns: as beside a collective, 1150 ns. The receiver, whose
// kernel waits from the start, the same.
TEST_CASE("sends and receives take the share too") {
  SystemSpec spec = plain_system("ring");
  spec.sm_tax = {1, 4};
  const auto with = [](auto transfer) {
    std::vector<Operation> program = {compute(0, {}), compute(1, nanoseconds(1000)), wait(2, 0)};
    program[0].what = transfer;
    return program;
  };
  World world({switch_level(2, gigabytes_per_second(1), {})}, spec,
              {with(SendCall{.to = 1, .size = bytes(600)}),
               with(ReceiveCall{.from = 0, .size = bytes(600)})});
  CHECK(world.run() == nanoseconds(1150));
  CHECK(world.runner->account(0).stolen == nanoseconds(150));
  CHECK(world.runner->account(1).stolen == nanoseconds(150));
}

// The collective covers the first 600 ns: 450 ns of the work are done by then, 550 are left and go
// at the full rate. 1150 in all.
TEST_CASE("work that outlives the collective loses only what they share") {
  World world = world_of({1, 4}, {all_reduce(0, 600), compute(1, nanoseconds(1000))});
  CHECK(world.run() == nanoseconds(1150));
  CHECK(world.runner->account(0).compute == nanoseconds(1150));
  CHECK(world.runner->account(0).stolen == nanoseconds(150));
}

// Both run from 0. One alone takes 400 ns, the other 800 on a port that they share: with the ring's
// steps interleaved, 200, 400, 200 and 400 bytes, both are done by 1200. Two collectives at once
// take no more than one: 1200 ns at half the rate are 600 of work, the rest of 1000 is 400.
TEST_CASE("several collectives take the share once") {
  World world =
      world_of({1, 2}, {all_reduce(0, 400), all_reduce(1, 800), compute(2, nanoseconds(1000))});
  CHECK(world.run() == nanoseconds(1600));
  CHECK(world.runner->account(0).stolen == nanoseconds(600));
}

// Half of the rate for 600 ns is 300 of work: the end of the collective and the end of the work
// fall together, and the work is not a picosecond longer.
TEST_CASE("work that ends together with the collective ends then") {
  World world = world_of(
      {1, 2}, {all_reduce(0, 600), compute(1, nanoseconds(300)), compute(2, nanoseconds(100))});
  CHECK(world.run() == nanoseconds(700));
  CHECK(world.runner->account(0).stolen == nanoseconds(300));
}

// 600 ns alone, then a collective of 400 with 300 more beside it at half rate: 200 of the 300 done
// by 1000, the last 100 alone.
TEST_CASE("a tax changes the rate in the middle of work and back") {
  SystemSpec spec = plain_system("ring");
  spec.sm_tax = {1, 2};
  // Rank 1 calls the collective 600 ns late: until then that of rank 0 is under way and taxes it.
  World world({switch_level(2, gigabytes_per_second(1), {})}, spec,
              {{all_reduce(0, 400), compute(1, nanoseconds(1000))},
               {compute(0, nanoseconds(600)), all_reduce(1, 400)}});
  // Rank 0: half rate from 0 to 1000, 500 of work done; 500 left alone.
  CHECK(world.run() == nanoseconds(1500));
  CHECK(world.runner->account(0).stolen == nanoseconds(500));
  CHECK(world.runner->account(1).stolen == Duration{});
}

TEST_CASE("without a tax collectives cost compute nothing") {
  World world = world_of({}, {all_reduce(0, 2000), compute(1, nanoseconds(1000)), wait(2, 0)});
  world.run();
  CHECK(world.runner->account(0).compute == nanoseconds(1000));
  CHECK(world.runner->account(0).stolen == Duration{});
}

}  // namespace
}  // namespace orrery
