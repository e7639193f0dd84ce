// What the order of chunks does, on cases small enough for a time line by hand.
//
// Two ranks on a switch, ring algorithm, no latency unless stated: an all-reduce of S is two
// exchanges of S/2, so alone it takes A = 2 T(S/2). With S = 25,000 B at 12.5 GB/s, T(S/2) = 1 us
// and A = 2 us.
#include <catch2/catch.hpp>

#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

const Bytes kSize = bytes(25'000);
const Duration kAlone = microseconds(2);

LevelSpec link(Duration latency = {}) { return switch_level(2, gigabits_per_second(100), latency); }

SystemSpec one_at_a_time(SchedulingPolicy policy) {
  SystemSpec spec = plain_system("ring");
  spec.scheduling = policy;
  spec.first_phase_limit = 1;
  return spec;
}

// Backward pass of three layers: the gradients of layer 2 (top), 1 and 0 (bottom) are called at
// time 0. Then the next forward pass: wait for layer 0, compute 2 us; wait for 1, compute 2 us;
// wait for 2. The all-reduces run one at a time; layer 2's has begun before the others are there,
// and is not preempted.
//
//   LIFO   2: 0..2   0: 2..4   1: 4..6     wait 0: 4 us, compute to 6, wait 1: 0, compute to 8,
//   wait 2: 0 FIFO   2: 0..2   1: 2..4   0: 4..6     wait 0: 6 us, compute to 8, ... end at 10 us
std::vector<Operation> three_gradients() {
  return {collective(0, Collective::all_reduce, kSize),  // layer 2
          collective(1, Collective::all_reduce, kSize),  // layer 1
          collective(2, Collective::all_reduce, kSize),  // layer 0
          wait(3, 2),
          compute(4, microseconds(2)),
          wait(5, 1),
          compute(6, microseconds(2)),
          wait(7, 0)};
}

TEST_CASE("LIFO serves the newest gradient first, which the next forward pass needs first") {
  World world({link()}, one_at_a_time(SchedulingPolicy::lifo),
              World::everywhere(2, three_gradients()));
  CHECK(world.run() == microseconds(8));
  CHECK(world.recorder.find(SpanKind::collective, 0, 0).end - Time{} == kAlone);
  CHECK(world.recorder.find(SpanKind::collective, 0, 2).end - Time{} == kAlone * 2);
  CHECK(world.recorder.find(SpanKind::collective, 0, 1).end - Time{} == kAlone * 3);
  CHECK(world.runner->account(0).exposed == microseconds(4));
  CHECK(world.runner->account(0).compute == microseconds(4));
}

TEST_CASE("FIFO exposes more at the bottom and is quicker at the top") {
  World world({link()}, one_at_a_time(SchedulingPolicy::fifo),
              World::everywhere(2, three_gradients()));
  CHECK(world.run() == microseconds(10));
  CHECK(world.recorder.find(SpanKind::collective, 0, 0).end - Time{} == kAlone);
  CHECK(world.recorder.find(SpanKind::collective, 0, 1).end - Time{} == kAlone * 2);
  CHECK(world.recorder.find(SpanKind::collective, 0, 2).end - Time{} == kAlone * 3);
  CHECK(world.runner->account(0).exposed == microseconds(6));
}

// An all-to-all of S between two ranks is one exchange of S/2: 1 us. Called last, after two
// all-reduces. HIGHEST: after the first all-reduce, which has begun, 2..3 us. Without it FIFO does
// it last, 4..5 us.
TEST_CASE("a HIGHEST all-to-all goes before everything that has not begun") {
  for (const auto policy : {SchedulingPolicy::lifo, SchedulingPolicy::fifo})
    for (const Priority priority : {Priority::normal, Priority::highest}) {
      World world({link()}, one_at_a_time(policy),
                  World::everywhere(2, {collective(0, Collective::all_reduce, kSize),
                                        collective(1, Collective::all_to_all, kSize, priority),
                                        collective(2, Collective::all_reduce, kSize)}));
      world.run();
      const Duration done = world.recorder.find(SpanKind::collective, 0, 1).end - Time{};
      // lifo without priority: the newer all-reduce (2) goes first, 2..4, then the
      // all-to-all, 4..5.
      const bool first = priority == Priority::highest || policy == SchedulingPolicy::fifo;
      CHECK(done == (first ? microseconds(3) : microseconds(5)));
    }
}

// Four all-reduces at time 0, one at a time; the first has begun. A (2 us), B (4 us), C (2 us), D
// (1 us with half the bytes): sizes S, 2S, S, S/2. After A, which ends at 2 us:
//   shortest first   D to 3, C to 5, B to 9
//   priority         B (7) to 6, D (2) to 7, C (-1) to 9
//   HIGHEST for C    C to 4 under both
TEST_CASE("shortest first and explicit priorities") {
  const auto ends = [](SchedulingPolicy policy, Priority b, Priority c, Priority d) {
    World world({link()}, one_at_a_time(policy),
                World::everywhere(2, {collective(0, Collective::all_reduce, kSize),
                                      collective(1, Collective::all_reduce, kSize * 2, b),
                                      collective(2, Collective::all_reduce, kSize, c),
                                      collective(3, Collective::all_reduce, bytes(12'500), d)}));
    world.run();
    std::vector<std::int64_t> microseconds_of;
    for (OperationId id = 1; id < 4; ++id)
      microseconds_of.push_back(
          (world.recorder.find(SpanKind::collective, 1, id).end - Time{}).value / 1'000'000);
    return microseconds_of;
  };
  const auto number = [](int n) { return static_cast<Priority>(n); };
  using Ends = std::vector<std::int64_t>;
  CHECK(ends(SchedulingPolicy::shortest_first, number(9), number(0), number(0)) == Ends{9, 5, 3});
  CHECK(ends(SchedulingPolicy::priority, number(7), number(-1), number(2)) == Ends{6, 9, 7});
  CHECK(ends(SchedulingPolicy::shortest_first, number(0), Priority::highest, number(0)) ==
        Ends{9, 4, 5});
  CHECK(ends(SchedulingPolicy::priority, number(7), Priority::highest, number(2)) == Ends{8, 4, 9});
}

// Two chunks of 12,500 B: four exchanges of 6,250 B, T = 0.5 us each, and a path of L = 2 us. One
// in its first phase at a time: 4 (T + L) = 10 us. Both: chunk 1 follows T behind chunk 0 all the
// way, 2 (T + L) + T = 5.5 us.
SystemSpec two_chunks() {
  SystemSpec spec = plain_system("ring");
  spec.collectives[0].chunks = 2;
  return spec;
}

TEST_CASE("chunks beyond the first-phase limit wait") {
  SystemSpec spec = two_chunks();
  const auto program = World::everywhere(2, {collective(0, Collective::all_reduce, kSize)});
  spec.first_phase_limit = 1;
  CHECK(World({link(microseconds(1))}, spec, program).run() == microseconds(10));
  spec.first_phase_limit = 64;
  CHECK(World({link(microseconds(1))}, spec, program).run() == nanoseconds(5'500));
}

TEST_CASE("chunks beyond the queue limit wait, unless the level has another queue") {
  SystemSpec spec = two_chunks();
  const auto program = World::everywhere(2, {collective(0, Collective::all_reduce, kSize)});
  spec.queue_limit = 1;
  CHECK(World({link(microseconds(1))}, spec, program).run() == microseconds(10));
  spec.queues_per_level = 2;
  CHECK(World({link(microseconds(1))}, spec, program).run() == nanoseconds(5'500));
  spec.queue_limit = 32;
  spec.queues_per_level = 1;
  CHECK(World({link(microseconds(1))}, spec, program).run() == nanoseconds(5'500));
}

// Levels {2, 2}, baseline, two chunks of 12,500 B; every phase is two exchanges of 6,250 B with T =
// 0.5 us; inner L = 0, outer L = 2 us. Inner phases: chunk 0 ends at 1 us, chunk 1 (one at a time)
// at 2 us. Outer phases take 2 (T + L) = 5 us: the limit of one place makes the second wait for the
// first.
//   queue limit 1   outer 0: 1..6, outer 1: 6..11
//   queue limit 2   inner chunks share the port: both end in 2 us (chunk 0 at 1.5); with a
//   first-phase
//                   limit of 1 they still go one at a time: outer 0: 1..6, outer 1: 2..7
TEST_CASE("the first-phase limit counts first phases only, the queue limit counts every phase") {
  SystemSpec spec = two_chunks();
  spec.first_phase_limit = 1;
  const auto program = World::everywhere(4, {collective(0, Collective::all_reduce, kSize)});
  spec.queue_limit = 1;
  CHECK(World({link(), link(microseconds(1))}, spec, program).run() == microseconds(11));
  spec.queue_limit = 32;
  CHECK(World({link(), link(microseconds(1))}, spec, program).run() == microseconds(7));
}

// The update (3 us) follows the completion at 2 us; the waiter goes on at 5 us, all of it exposed.
TEST_CASE("waiters go on after the update, and the update is exposed") {
  World world({link()}, plain_system("ring"),
              World::everywhere(2, {collective(0, Collective::all_reduce, kSize, Priority::normal,
                                               microseconds(3)),
                                    wait(1, 0), compute(2, microseconds(1))}));
  CHECK(world.run() == microseconds(6));
  CHECK(world.runner->account(1).exposed == microseconds(5));
  CHECK(world.recorder.find(SpanKind::collective, 1, 0).end - Time{} == microseconds(2));
}

// Nobody waits in the program: the time after its end is exposed all the same, up to the
// completion.
TEST_CASE("communication that outlives the program is exposed, not idle") {
  World world({link()}, plain_system("ring"),
              World::everywhere(
                  2, {collective(0, Collective::all_reduce, kSize), compute(1, microseconds(1))}));
  CHECK(world.run() == microseconds(2));
  CHECK(world.runner->account(0).compute == microseconds(1));
  CHECK(world.runner->account(0).exposed == microseconds(1));
  CHECK(world.runner->account(0).idle == Duration{});
}

TEST_CASE("ranks that disagree about a collective are told so") {
  World world({link()}, plain_system("ring"),
              {{collective(0, Collective::all_reduce, kSize)},
               {collective(0, Collective::all_gather, kSize)}});
  CHECK_THROWS_AS(world.run(), JobError);
  World roots({link()}, plain_system("linear"),
              {{collective(0, Collective::broadcast, kSize, {}, {}, 0)},
               {collective(0, Collective::broadcast, kSize, {}, {}, 1)}});
  CHECK_THROWS_WITH(roots.run(), Catch::Contains("(root 0)") && Catch::Contains("(root 1)"));
}

// A message of 25,000 B: 2 us at the port, L = 2 us. The send is complete when it has left, at 2
// us; the receive when it is there, at 4 us.
TEST_CASE("a send is complete when it has left, a receive when it is there") {
  World world({link(microseconds(1))}, plain_system("ring"),
              {{{0, 0, SendCall{1, kSize, 0}}}, {{0, 0, ReceiveCall{0, kSize, 0}}}});
  CHECK(world.run() == microseconds(4));
  CHECK(world.recorder.find(SpanKind::collective, 0, 0).end - Time{} == microseconds(2));
  CHECK(world.recorder.find(SpanKind::collective, 1, 0).end - Time{} == microseconds(4));
}

TEST_CASE("a receive that nobody sends leaves a report of who waits for whom") {
  World world({link()}, plain_system("ring"),
              {{{0, 0, ReceiveCall{1, kSize, 7}}, wait(1, 0)}, {compute(0, microseconds(1))}});
  world.run();
  CHECK_FALSE(world.runner->finished());
  const std::string report = world.runner->describe_stuck(10);
  CHECK(report.find("rank 0 waits for receive '0' of 25 kB from rank 1") != std::string::npos);
  CHECK(report.find("rank 1 has sent it 0 messages with tag 7") != std::string::npos);
}

TEST_CASE("a collective that one rank does not call is reported with that rank") {
  World world({link()}, plain_system("ring"),
              {{collective(0, Collective::all_reduce, kSize)}, {compute(0, microseconds(1))}});
  world.run();
  CHECK(world.runner->describe_stuck(10).find("rank 1 has not called it") != std::string::npos);
}

// N all-reduces of one chunk are called at time 0 on 4 ranks; the first 64 (first_phase_limit) take
// the places of their first phase, 32 run. Each call is looked at when it is made, and each end of
// a chunk makes room for one that waits and one that is admitted: a number of looks a chunk that
// does not depend on N, so eight times as many calls cost about eight times as many.
TEST_CASE("a chunk costs the same looks however many calls are outstanding") {
  const auto looks = [](SchedulingPolicy policy, int calls, std::optional<std::int32_t> overlap) {
    SystemSpec spec = plain_system("ring");
    spec.scheduling = policy;
    spec.overlap_limit = overlap;
    std::vector<Operation> program;
    for (int i = 0; i < calls; ++i)
      program.push_back(collective(i, Collective::all_reduce, bytes(4'000 + i % 7),
                                   static_cast<Priority>(i % 3)));
    World world({switch_level(4, gigabits_per_second(100), nanoseconds(500))}, spec,
                World::everywhere(4, program));
    world.run();
    REQUIRE(world.runner->finished());
    return world.runner->scheduling_steps();
  };
  for (const auto policy : {SchedulingPolicy::lifo, SchedulingPolicy::fifo,
                            SchedulingPolicy::priority, SchedulingPolicy::shortest_first}) {
    CHECK(looks(policy, 8'000, std::nullopt) <= 10 * looks(policy, 1'000, std::nullopt));
    CHECK(looks(policy, 8'000, 8) <= 10 * looks(policy, 1'000, 8));
  }
}

// The first member of a gather lets the others in; those who follow let nobody in. Of 8 times the
// ranks each has the same to look at: 8 times the steps, not 64.
TEST_CASE("a collective with a root costs a step for each member, not for each pair") {
  const auto steps = [](std::int32_t ranks) {
    World world({switch_level(ranks, gigabits_per_second(100), nanoseconds(500))},
                plain_system("direct"),
                World::everywhere(ranks, {collective(0, Collective::gather, bytes(4'000))}));
    world.run();
    REQUIRE(world.runner->finished());
    return world.runner->scheduling_steps();
  };
  CHECK(steps(512) <= 10 * steps(64));
}

}  // namespace
}  // namespace orrery
