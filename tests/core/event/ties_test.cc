// Events of one time in a random order (Ties::seed).
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "core/event/event_queue.h"

namespace orrery {
namespace {

TieOrder drawn(std::uint64_t seed, std::uint64_t draw = 0) { return {Ties::seed, seed, draw}; }

// The order in which `count` callbacks of one time run.
std::vector<int> order_of(int count, const TieOrder& order) {
  EventQueue queue(order);
  std::vector<int> seen;
  for (int i = 0; i < count; ++i) queue.schedule(nanoseconds(1), [&seen, i] { seen.push_back(i); });
  queue.run();
  return seen;
}

TEST_CASE("events of one time run in call order unless a seed draws one") {
  std::vector<int> calls(100);
  for (int i = 0; i < 100; ++i) calls[static_cast<std::size_t>(i)] = i;
  CHECK(order_of(100, {}) == calls);
  const std::vector<int> one = order_of(100, drawn(1));
  CHECK(one != calls);
  CHECK(one == order_of(100, drawn(1)));
  CHECK(one != order_of(100, drawn(2)));
  CHECK(one != order_of(100, drawn(1, 1)));
  std::vector<int> sorted = one;
  std::ranges::sort(sorted);
  CHECK(sorted == calls);
}

// 6,000 orders of three events: each of the six 1,000 times, with a standard deviation of
// sqrt(6000 x 1/6 x 5/6) = 29. Five of them are 145.
TEST_CASE("each order is as likely as the others") {
  std::map<std::vector<int>, int> counts;
  for (std::uint64_t draw = 0; draw < 6'000; ++draw) ++counts[order_of(3, drawn(7, draw))];
  REQUIRE(counts.size() == 6);
  for (const auto& [order, count] : counts) CHECK(std::abs(count - 1'000) < 145);
}

// 50 chains of 20 events without delay: each event schedules the next one of its chain. The chains
// mix, and no event runs before its cause.
TEST_CASE("an event runs after the one that scheduled it, and time does not go back") {
  EventQueue queue(drawn(3));
  std::vector<int> reached(50);
  std::vector<int> chains;
  struct Chain {
    EventQueue* queue;
    std::vector<int>*reached, *chains;
    int chain, step;
    void operator()() const {
      CHECK((*reached)[static_cast<std::size_t>(chain)]++ == step);
      chains->push_back(chain);
      if (step < 19) queue->schedule({}, Chain{queue, reached, chains, chain, step + 1});
    }
  };
  for (int chain = 0; chain < 50; ++chain)
    queue.schedule(nanoseconds(1), Chain{&queue, &reached, &chains, chain, 0});
  queue.schedule(nanoseconds(2), [&] { CHECK(chains.size() == 1'000); });
  CHECK(queue.run());
  CHECK(queue.now() == Time{nanoseconds(2)});
  CHECK(std::ranges::all_of(reached, [](int steps) { return steps == 20; }));
  CHECK_FALSE(std::ranges::is_sorted(chains));
  CHECK(queue.executed() == 1'001);
}

// Two events of one time schedule ten events each for another one. What each has scheduled keeps
// its order; which of the two goes first is drawn.
TEST_CASE("what one event schedules for one time keeps its order") {
  int second_first = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EventQueue queue(drawn(seed));
    std::vector<int> seen;
    for (const int first : {0, 100})
      queue.schedule(nanoseconds(1), [&queue, &seen, first] {
        for (int i = 0; i < 10; ++i)
          queue.schedule(nanoseconds(1), [&seen, first, i] { seen.push_back(first + i); });
      });
    queue.run();
    REQUIRE(seen.size() == 20);
    for (int i = 0; i < 10; ++i) {
      CHECK(seen[static_cast<std::size_t>(i)] == seen[0] + i);
      CHECK(seen[static_cast<std::size_t>(10 + i)] == seen[10] + i);
    }
    second_first += seen[0] == 100 ? 1 : 0;
  }
  CHECK(second_first > 0);
  CHECK(second_first < 20);
}

struct Recorder : EventHandler {
  void on_event(std::uint64_t argument) override { seen.push_back(argument); }
  std::vector<std::uint64_t> seen;
};

TEST_CASE("early events stay before the others of their time") {
  EventQueue queue(drawn(5));
  Recorder recorder;
  const EventQueue::HandlerId id = queue.add_handler(recorder);
  const Time when{nanoseconds(1)};
  for (std::uint64_t i = 0; i < 40; ++i) {
    queue.schedule_at(when, id, 100 + i);
    queue.schedule_early_at(when, id, i);
  }
  queue.run();
  REQUIRE(recorder.seen.size() == 80);
  CHECK(std::all_of(recorder.seen.begin(), recorder.seen.begin() + 40,
                    [](std::uint64_t argument) { return argument < 100; }));
  CHECK_FALSE(std::is_sorted(recorder.seen.begin(), recorder.seen.begin() + 40));
}

// One after the other, with cancellations between: what is due next is known all the time.
TEST_CASE("cancelled events of a drawn order do not run, and the next time is that of the others") {
  EventQueue queue(drawn(9));
  std::vector<int> seen;
  std::vector<EventQueue::Handle> handles;
  for (int i = 0; i < 10; ++i)
    handles.push_back(
        queue.schedule_cancellable(nanoseconds(1), [&seen, i] { seen.push_back(i); }));
  queue.schedule(nanoseconds(3), [&] { seen.push_back(10); });
  REQUIRE(queue.run_one());
  CHECK(queue.next_time() == Time{nanoseconds(1)});
  for (int i = 0; i < 10; ++i)
    if (i != seen.front()) CHECK(queue.cancel(handles[static_cast<std::size_t>(i)]));
  CHECK(queue.pending() == 1);
  CHECK(queue.next_time() == Time{nanoseconds(3)});
  // Between the last event and the next one.
  queue.schedule(nanoseconds(1), [&] { seen.push_back(11); });
  CHECK(queue.next_time() == Time{nanoseconds(2)});
  CHECK(queue.run([] { return false; }));
  CHECK(std::vector<int>(seen.begin() + 1, seen.end()) == std::vector<int>{11, 10});
}

}  // namespace
}  // namespace orrery
