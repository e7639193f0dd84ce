// Message programs by hand: when their steps are done, and what the proof finds in them. Files that
// describe them are tested in tests/formats/msccl.
#include "system/collective/explicit_plan.h"

#include <catch2/catch.hpp>

#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace orrery::test;

ProgramStep send_to(Position peer, std::int32_t channel = 0, std::vector<StepName> after = {}) {
  return {.kind = StepKind::send,
          .peer = peer,
          .channel = channel,
          .count = 1,
          .after = std::move(after)};
}
ProgramStep receive_from(Position peer, std::int32_t channel = 0) {
  return {.kind = StepKind::receive, .peer = peer, .channel = channel, .count = 1};
}
ProgramStep work(Duration duration, std::vector<StepName> after = {}) {
  return {.kind = StepKind::compute, .compute = duration, .after = std::move(after)};
}

// Sizes only; a broadcast of one piece: rank 0 must reach the others, the rest is free.
MessageProgram program_of(std::vector<std::vector<std::vector<ProgramStep>>> ranks) {
  MessageProgram program;
  program.kind = Collective::broadcast;
  program.tracks_data = false;
  for (auto& threads : ranks) program.ranks.push_back({.threads = std::move(threads)});
  return program;
}

std::string fault_of(const MessageProgram& program) {
  const ProgramExecution execution = execute(program);
  return execution.fault ? execution.fault->what : "";
}

// One level whose ports carry 1 GB/s = 1 B/ns, with links of 100 ns; the program's piece is 1000 B.
// `delay` is what a message costs at each of its ends.
Duration time_of(const MessageProgram& program, Duration delay = {}) {
  SystemSpec spec = plain_system("ring");
  spec.injection_latency = delay;
  spec.collectives[static_cast<std::size_t>(Collective::broadcast)].algorithms = {
      NamedAlgorithm{"by hand", make_explicit_algorithm(program, execute(program)).algorithm}};
  const auto ranks = static_cast<std::int32_t>(program.ranks.size());
  World world({switch_level(ranks, gigabytes_per_second(1), nanoseconds(50))}, spec,
              World::everywhere(ranks, {collective(0, Collective::broadcast, bytes(1000))}));
  return world.run();
}

// From start to arrival: 1000 B at 1 B/ns and two links of 50 ns.
constexpr Duration kMessage = nanoseconds(1100);

TEST_CASE("steps wait for steps of other threads, and for work") {
  // Rank 0 works 300 ns in one thread, then sends in another; rank 1 answers on another channel.
  CHECK(time_of(
            program_of({{{work(nanoseconds(300))}, {send_to(1, 0, {{0, 0}})}, {receive_from(1, 1)}},
                        {{receive_from(0), send_to(0, 1)}}})) == nanoseconds(300) + kMessage * 2);
  // A thread that waits for two: the later one counts.
  CHECK(
      time_of(program_of(
          {{{work(nanoseconds(300))}, {work(nanoseconds(700))}, {send_to(1, 0, {{0, 0}, {1, 0}})}},
           {{receive_from(0)}}})) == nanoseconds(700) + kMessage);
  // Work after a receive, before a send; and at the end.
  CHECK(time_of(program_of({{{send_to(1), receive_from(1)}},
                            {{receive_from(0), work(nanoseconds(40)), send_to(0)}}})) ==
        kMessage * 2 + nanoseconds(40));
  CHECK(time_of(program_of({{{send_to(1)}}, {{receive_from(0), work(nanoseconds(40))}}})) ==
        kMessage + nanoseconds(40));
}

// Two messages of 1000 ns each through one port, then work: with `sends_leave` the work begins when
// the last byte has left, after 2000 ns, and lasts 500; the second message arrives at 2100.
TEST_CASE("a thread may wait until its sends have left") {
  MessageProgram program = program_of(
      {{{send_to(1), send_to(1), work(nanoseconds(500))}}, {{receive_from(0), receive_from(0)}}});
  CHECK(time_of(program) == nanoseconds(2100));
  program.sends_leave = true;
  CHECK(time_of(program) == nanoseconds(2500));
}

// Ends cost 2,000 ns. Rank 0's message leaves at 2,000 and is at rank 2 at 3,100; rank 2 has it at
// 5,100, and begins its second stage, which sends, at 7,100. Rank 1 works for 3,000 first: its
// message is there at 6,100, before that stage, and counts at 8,100, after it has begun. Then rank
// 2 sends to rank 3: 2,000, 1,100 on the way, 2,000.
TEST_CASE("a message that comes before its stage begins still costs its delay") {
  const MessageProgram program =
      program_of({{{send_to(2)}, {receive_from(2, 1)}, {send_to(1, 2)}},
                  {{work(nanoseconds(3'000)), send_to(2)}, {receive_from(0, 2)}},
                  {{receive_from(0), send_to(0, 1), receive_from(1), send_to(3)}},
                  {{receive_from(2)}}});
  CHECK(time_of(program, nanoseconds(2'000)) == nanoseconds(8'100 + 2'000 + 1'100 + 2'000));
}

TEST_CASE("threads of a rank do not hold each other up") {
  // One thread waits for a message that comes late; the other one's exchange is not delayed: rank 1
  // answers at once, and works 5 us before it sends on the other channel.
  CHECK(time_of(program_of(
            {{{send_to(1), receive_from(1)}, {receive_from(1, 1)}},
             {{receive_from(0), send_to(0)}, {work(microseconds(5)), send_to(0, 1)}}})) ==
        microseconds(5) + kMessage);
}

TEST_CASE("programs that do not end are refused") {
  CHECK(fault_of(program_of({{{send_to(1)}}, {{receive_from(0)}}})) == "");
  CHECK(fault_of(program_of({{{receive_from(1), send_to(1)}}, {{receive_from(0), send_to(0)}}})) ==
        "rank 0, thread 0, step 0 waits for a message from rank 1 on channel 0; rank 1, thread 0, "
        "step 0 waits for a message from rank 0 on channel 0, for ever");
  CHECK(fault_of(program_of({{{work({}, {{1, 0}})}, {work({}, {{0, 0}})}}, {}})) ==
        "rank 0, thread 0, step 0 waits for thread 1, step 0; rank 0, thread 1, step 0 waits for "
        "thread 0, step 0, for ever");
  CHECK(fault_of(program_of({{{send_to(1)}}, {{}}})) ==
        "rank 0, thread 0, step 0: rank 1 never receives its message on channel 0");
}

// The memory of an all-gather of two ranks, one piece each, in place: each sends its own.
TEST_CASE("what is where in the end is compared with what should be") {
  const auto gather = [](bool right) {
    MessageProgram program;
    program.kind = Collective::all_gather;
    program.pieces = 2;
    for (const Position rank : {0, 1}) {
      program.ranks.push_back(make_memory(program.kind, rank, 2, 2, true, 0));
      ProgramStep send = send_to(1 - rank);
      send.source = rank;
      ProgramStep receive = receive_from(1 - rank);
      receive.target = right ? 1 - rank : rank;
      program.ranks.back().threads = {{send, receive}};
    }
    return program;
  };
  CHECK(fault_of(gather(true)) == "");
  CHECK(fault_of(gather(false)) ==
        "rank 0 ends with piece 1 instead of piece 0 in chunk 0 of its output buffer");
}

}  // namespace
}  // namespace orrery
