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

// Two nodes of two ranks, 1 GB/s and no latency, on devices of 4 multiprocessors.
World channels_of(ChannelSpec channels, std::vector<Operation> program) {
  SystemSpec spec = plain_system("ring");
  spec.channels = channels;
  LevelSpec node = switch_level(2, gigabytes_per_second(1), {});
  node.scope = Scope::local;
  return World({node, switch_level(2, gigabytes_per_second(1), {})}, spec,
               World::everywhere(4, std::move(program)));
}

Operation all_reduce_on(OperationId id, std::int32_t communicator, Bytes size) {
  Operation operation = collective(id, Collective::all_reduce, size);
  std::get<CollectiveCall>(operation.what).communicator = communicator;
  return operation;
}

// A ring all-reduce between two ranks lasts a nanosecond for each byte. Communicator 1 is a node, 2
// leaves it. 96 KiB fill three channels of 32 KiB: where a collective may have two of them, two
// multiprocessors of four are left and 10 us of work take 20; where it may have three, 40.
TEST_CASE("a collective takes the multiprocessors of its channels") {
  const ChannelSpec channels{.multiprocessors = 4, .inside = 2, .between = 3, .pair = 1};
  const auto compute_beside = [&](std::int32_t communicator, Bytes size) {
    World world =
        channels_of(channels, {all_reduce_on(0, communicator, size), compute(1, microseconds(10))});
    world.run();
    return world.runner->account(0).compute;
  };
  CHECK(compute_beside(1, kibibytes(96)) == microseconds(20));
  CHECK(compute_beside(2, kibibytes(96)) == microseconds(40));
  // One byte more than 32 KiB are two channels; 32 KiB are one, and 3/4 of the rate.
  CHECK(compute_beside(1, bytes(32 * 1024 + 1)) == microseconds(20));
  CHECK(compute_beside(1, kibibytes(32)) == picoseconds(13'333'334));
}

// Communicator 2 has one rank in each of two nodes: with two channels for each rank in a node two
// multiprocessors are left of four, with one three (13.3 us), and with five all three of `between`
// are taken. Inside a node that does not count.
TEST_CASE("of a collective between nodes each rank in a node brings channels") {
  const auto compute_beside = [&](std::int32_t communicator, std::int32_t per_rank) {
    const ChannelSpec channels{
        .multiprocessors = 4, .inside = 2, .between = 3, .per_rank = per_rank, .pair = 1};
    World world = channels_of(
        channels, {all_reduce_on(0, communicator, kibibytes(96)), compute(1, microseconds(10))});
    world.run();
    return world.runner->account(0).compute;
  };
  CHECK(compute_beside(2, 2) == microseconds(20));
  CHECK(compute_beside(2, 1) == picoseconds(13'333'334));
  CHECK(compute_beside(2, 5) == microseconds(40));
  CHECK(compute_beside(1, 1) == microseconds(20));
}

// Three of four for 98.304 us of the second collective: 24.576 us of work in that time. The first,
// of two, is under way for as long and takes nothing beside it.
TEST_CASE("of collectives beside each other the one with most channels counts") {
  const ChannelSpec channels{.multiprocessors = 4, .inside = 2, .between = 3, .pair = 1};
  World world =
      channels_of(channels, {all_reduce_on(0, 1, kibibytes(96)), all_reduce_on(1, 2, kibibytes(96)),
                             compute(2, nanoseconds(24'576))});
  world.run();
  CHECK(world.runner->account(0).compute == nanoseconds(98'304));
}

// 600 ns with three of four multiprocessors: 450 ns of work, and 550 after that.
TEST_CASE("sends and receives take the multiprocessors of a pair") {
  SystemSpec spec = plain_system("ring");
  spec.channels = {.multiprocessors = 4, .inside = 2, .between = 3, .pair = 1};
  std::vector<Operation> sender = {compute(0, {}), compute(1, nanoseconds(1000))};
  std::vector<Operation> receiver = sender;
  sender[0].what = SendCall{.to = 1, .size = bytes(600)};
  receiver[0].what = ReceiveCall{.from = 0, .size = bytes(600)};
  World world({switch_level(2, gigabytes_per_second(1), {})}, spec, {sender, receiver});
  CHECK(world.run() == nanoseconds(1150));
  CHECK(world.runner->account(0).stolen == nanoseconds(150));
}

// What a copy engine sends takes none of them, so the work is done in its 1,000 ns; a tax that is
// given counts all the same, 1150 ns.
TEST_CASE("copy engines take no multiprocessors") {
  for (const Share tax : {Share{0, 4}, Share{1, 4}}) {
    SystemSpec spec = plain_system("ring");
    spec.sm_tax = tax;
    spec.channels = {.multiprocessors = 4, .inside = 2, .between = 3, .pair = 1};
    std::vector<Operation> sender = {compute(0, {}), compute(1, nanoseconds(1000))};
    std::vector<Operation> receiver = sender;
    sender[0].what = SendCall{.to = 1, .size = bytes(600), .copied = true};
    receiver[0].what = ReceiveCall{.from = 0, .size = bytes(600), .copied = true};
    World world({switch_level(2, gigabytes_per_second(1), {})}, spec, {sender, receiver});
    CHECK(world.run() == nanoseconds(tax.part > 0 ? 1150 : 1000));
  }
}

// A tax that is given goes before channels: 1/4, whatever the size.
TEST_CASE("sm_tax replaces channels") {
  SystemSpec spec = plain_system("ring");
  spec.sm_tax = {1, 4};
  spec.channels = {.multiprocessors = 4, .inside = 3, .between = 3, .pair = 3};
  World world({switch_level(2, gigabytes_per_second(1), {})}, spec,
              World::everywhere(2, {all_reduce(0, 2000), compute(1, nanoseconds(750))}));
  world.run();
  CHECK(world.runner->account(0).compute == nanoseconds(1000));
}

}  // namespace
}  // namespace orrery
