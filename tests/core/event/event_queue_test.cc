#include "core/event/event_queue.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/running_clock.h"
#include "core/units/range_error.h"

namespace orrery {
namespace {

struct Recorder : EventHandler {
  void on_event(std::uint64_t argument) override { seen.push_back(argument); }
  std::vector<std::uint64_t> seen;
};

TEST_CASE("an empty queue has nothing to run") {
  EventQueue queue;
  CHECK(queue.pending() == 0);
  CHECK(queue.next_time() == Time::never());
  CHECK_FALSE(queue.run_one());
  CHECK(queue.run());
  CHECK(queue.now() == Time{});
  CHECK(queue.executed() == 0);
}

// 1 and 2 are scheduled first, 3 and 4 early. 3 schedules 5 early and 6 for its own time: 5 goes
// before 1, 6 after 2. 2 schedules 7 early when that is no longer possible: it goes behind 6.
TEST_CASE("early events of a time run before the others of that time, in call order") {
  EventQueue queue;
  struct Early : EventHandler {
    explicit Early(EventQueue& q) : queue(q), id(q.add_handler(*this)) {}
    void on_event(std::uint64_t argument) override {
      seen.push_back(argument);
      if (argument == 3) {
        queue.schedule_early_at(queue.now(), id, 5);
        queue.schedule_at(queue.now(), id, 6);
      }
      if (argument == 2) queue.schedule_early_at(queue.now(), id, 7);
    }
    EventQueue& queue;
    EventQueue::HandlerId id;
    std::vector<std::uint64_t> seen;
  } handler(queue);
  const Time when{nanoseconds(1)};
  queue.schedule_at(when, handler.id, 1);
  queue.schedule_at(when, handler.id, 2);
  queue.schedule_early_at(when, handler.id, 3);
  queue.schedule_early_at(when, handler.id, 4);
  CHECK(queue.next_time() == when);
  queue.run();
  CHECK(handler.seen == std::vector<std::uint64_t>{3, 4, 5, 1, 2, 6, 7});
  CHECK(queue.now() == when);
}

TEST_CASE("a zero delay runs now, after what is already due now") {
  EventQueue queue;
  std::string order;
  queue.schedule(nanoseconds(1), [&] {
    order += 'a';
    queue.schedule(nanoseconds(0), [&] { order += 'd'; });
  });
  queue.schedule(nanoseconds(1), [&] { order += 'b'; });
  queue.schedule(nanoseconds(1), [&] { order += 'c'; });
  queue.run();
  CHECK(order == "abcd");
  CHECK(queue.now() == Time{nanoseconds(1)});
}

TEST_CASE("looking at the next time does not forbid earlier events") {
  EventQueue queue;
  std::string order;
  queue.schedule(milliseconds(1), [&] { order += 'z'; });
  CHECK(queue.next_time() == Time{milliseconds(1)});
  queue.schedule(picoseconds(1), [&] { order += 'a'; });
  CHECK(queue.next_time() == Time{picoseconds(1)});
  queue.run();
  CHECK(order == "az");
}

TEST_CASE("one picosecond apart is apart, at every place where a digit of the heap carries") {
  // The heap reads times as digits of 6 bits: 63|64, 4095|4096, ... are the carries.
  EventQueue queue;
  std::vector<std::int64_t> expected, seen;
  for (int bit = 6; bit < 63; bit += 6) {
    const std::int64_t carry = std::int64_t{1} << bit;
    for (const std::int64_t time : {carry + 1, carry, carry - 1}) {
      queue.schedule(picoseconds(time), [&] { seen.push_back(queue.now().since_start.value); });
      expected.push_back(time);
    }
  }
  std::sort(expected.begin(), expected.end());
  queue.run();
  CHECK(seen == expected);
}

TEST_CASE("the latest time on the clock can be scheduled, what is beyond it cannot") {
  EventQueue queue;
  Recorder recorder;
  const EventQueue::HandlerId id = queue.add_handler(recorder);
  queue.schedule_at(Time::never() - picoseconds(1), id, 2);
  CHECK_THROWS_AS(queue.schedule_at(Time::never(), id, 3), RangeError);
  CHECK_THROWS_AS(queue.schedule({std::numeric_limits<std::int64_t>::max()}, [] {}), RangeError);
  queue.schedule_at(Time{}, id, 1);
  queue.run();
  CHECK(recorder.seen == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("handlers get their own events and all 48 bits of the argument") {
  EventQueue queue;
  Recorder first, second;
  const EventQueue::HandlerId first_id = queue.add_handler(first);
  const EventQueue::HandlerId second_id = queue.add_handler(second);
  const std::uint64_t largest = (std::uint64_t{1} << 48) - 1;
  queue.schedule_at(Time{nanoseconds(1)}, second_id, largest);
  queue.schedule_at(Time{nanoseconds(2)}, first_id, 0);
  queue.run();
  CHECK(first.seen == std::vector<std::uint64_t>{0});
  CHECK(second.seen == std::vector<std::uint64_t>{largest});
}

TEST_CASE("65,535 handlers fit, one more is refused") {
  EventQueue queue;
  Recorder recorder;
  EventQueue::HandlerId last;
  for (int i = 0; i < 65'535; ++i) last = queue.add_handler(recorder);
  CHECK(last.value == 65'535);
  queue.schedule_at(Time{}, last, 5);
  queue.run();
  CHECK(recorder.seen == std::vector<std::uint64_t>{5});
  CHECK_THROWS_AS(queue.add_handler(recorder), CheckFailure);
}

TEST_CASE("the past is refused, with both times") {
  EventQueue queue;
  Recorder recorder;
  const EventQueue::HandlerId id = queue.add_handler(recorder);
  queue.schedule(nanoseconds(5), [&] {
    queue.schedule_at(Time{nanoseconds(5)}, id, 0);  // now is not the past
    CHECK_THROWS_WITH(queue.schedule_at(Time{picoseconds(4999)}, id, 1),
                      Catch::Contains("event scheduled for 4999 ps, now is 5 ns"));
    CHECK_THROWS_AS(queue.schedule(picoseconds(-1), [] {}), CheckFailure);
  });
  queue.run();
  CHECK(recorder.seen == std::vector<std::uint64_t>{0});
}

TEST_CASE("an empty callback is refused") {
  EventQueue queue;
  CHECK_THROWS_AS(queue.schedule(nanoseconds(1), Callback()), CheckFailure);
}

TEST_CASE("a cancelled callback does not run, counts nowhere and is destroyed at once") {
  EventQueue queue;
  auto owned = std::make_shared<int>(0);
  const EventQueue::Handle handle =
      queue.schedule_cancellable(nanoseconds(1), [owned] { ++*owned; });
  CHECK(owned.use_count() == 2);
  CHECK(queue.pending() == 1);
  CHECK(queue.cancel(handle));
  CHECK(owned.use_count() == 1);
  CHECK(queue.pending() == 0);
  CHECK(queue.next_time() == Time::never());
  CHECK_FALSE(queue.cancel(handle));
  CHECK(queue.run());
  CHECK(*owned == 0);
  CHECK(queue.executed() == 0);
}

TEST_CASE("the clock does not move to a cancelled event, and time after it can be used") {
  EventQueue queue;
  std::string order;
  queue.schedule(nanoseconds(10), [&] { order += 'a'; });
  const EventQueue::Handle timer = queue.schedule_cancellable(nanoseconds(100), [] {});
  queue.cancel(timer);
  queue.run();
  CHECK(queue.now() == Time{nanoseconds(10)});
  // Between the last event and the cancelled one.
  queue.schedule(nanoseconds(50), [&] { order += 'c'; });
  queue.schedule(nanoseconds(40), [&] { order += 'b'; });
  queue.run();
  CHECK(order == "abc");
  CHECK(queue.now() == Time{nanoseconds(60)});
}

TEST_CASE("handles that ran, are running or are made up cancel nothing") {
  EventQueue queue;
  EventQueue::Handle handle;
  CHECK_FALSE(queue.cancel(handle));
  bool cancelled_itself = true;
  handle =
      queue.schedule_cancellable(nanoseconds(1), [&] { cancelled_itself = queue.cancel(handle); });
  queue.run();
  CHECK_FALSE(cancelled_itself);
  CHECK_FALSE(queue.cancel(handle));
  // The slot is used again; the old handle must not reach its new tenant.
  int ran = 0;
  const EventQueue::Handle next = queue.schedule_cancellable(nanoseconds(1), [&] { ++ran; });
  CHECK(next.slot == handle.slot);
  CHECK_FALSE(queue.cancel(handle));
  CHECK_FALSE(queue.cancel({12345, 1}));
  queue.run();
  CHECK(ran == 1);
}

TEST_CASE("a timer that is always re-armed leaves nothing behind") {
  // A retransmission timer of 200 ms, pushed back by each of 100,000 packets: without sweeping,
  // each of its cancelled incarnations would hold a slot for 200 simulated milliseconds.
  EventQueue queue;
  int fired = 0, packets = 0;
  std::uint32_t highest_slot = 0;
  EventQueue::Handle timer = queue.schedule_cancellable(milliseconds(200), [&] { ++fired; });
  struct Packets : EventHandler {
    void on_event(std::uint64_t) override { arrive(); }
    std::function<void()> arrive;
  } handler;
  const EventQueue::HandlerId id = queue.add_handler(handler);
  handler.arrive = [&] {
    CHECK(queue.cancel(timer));
    timer = queue.schedule_cancellable(milliseconds(200), [&] { ++fired; });
    highest_slot = std::max(highest_slot, timer.slot);
    if (++packets < 100'000) queue.schedule_at(queue.now() + nanoseconds(1), id, 0);
  };
  queue.schedule_at(Time{}, id, 0);
  queue.run();
  CHECK(fired == 1);
  CHECK(queue.now() == Time{nanoseconds(99'999) + milliseconds(200)});
  CHECK(highest_slot < 1100);  // sweeping starts beyond 1024 cancelled entries
}

TEST_CASE("stop is asked every 256 events") {
  EventQueue queue;
  int asked = 0;
  for (int i = 0; i < 10'000; ++i) queue.schedule(nanoseconds(i), [] {});
  CHECK_FALSE(queue.run([&] { return ++asked == 2; }));
  CHECK(queue.executed() == 2 * 256);
  CHECK(queue.pending() == 10'000 - 2 * 256);
  CHECK(queue.run([] { return false; }));
  CHECK(queue.executed() == 10'000);
}

// Of 3 events at 1, 2 and 3 ns the second asks ten times: the answer to the fourth ends the run.
TEST_CASE("an event that takes long can be stopped where it stands") {
  EventQueue queue;
  int asked = 0, done = 0;
  const auto asks = [&] {
    for (int part = 0; part < 10; ++part, ++done) queue.ask_within_event();
  };
  for (int i = 1; i <= 3; ++i) queue.schedule(nanoseconds(i), [&, i] { i == 2 ? asks() : void(); });
  CHECK_FALSE(queue.run([&] { return ++asked == 4; }));
  CHECK(done == 3);
  CHECK(queue.executed() == 2);
  CHECK(queue.pending() == 1);
  queue.schedule(nanoseconds(0), asks);
  queue.run();  // nobody is asked: the answer would be no
  CHECK(asked == 4);
  CHECK(done == 13);
}

TEST_CASE("an exception leaves run() and the queue usable") {
  EventQueue queue;
  std::string order;
  queue.schedule(nanoseconds(1), [&] { order += 'a'; });
  queue.schedule(nanoseconds(2), [] { throw std::runtime_error("broken"); });
  queue.schedule(nanoseconds(2), [&] { order += 'b'; });
  CHECK_THROWS_WITH(queue.run(), "broken");
  CHECK(RunningClock::now() == nullptr);
  CHECK(queue.now() == Time{nanoseconds(2)});
  CHECK(queue.pending() == 1);
  queue.schedule(nanoseconds(0), [&] { order += 'c'; });
  queue.run();
  CHECK(order == "abc");
}

TEST_CASE("a failed check names the time of the innermost running queue") {
  const auto message = [](int line) {
    try {
      CHECK_THAT("", Catch::Equals(""));
      check_internal::fail("file.cc", line, "a == b", "a is 1");
    } catch (const CheckFailure& failure) {
      return std::string(failure.what());
    }
  };
  CHECK(message(3) == "file.cc:3: CHECK(a == b) failed: a is 1");
  EventQueue outer, inner;
  std::vector<std::string> messages;
  inner.schedule(nanoseconds(7), [&] { messages.push_back(message(1)); });
  outer.schedule(microseconds(3), [&] {
    inner.run();
    messages.push_back(message(2));
  });
  outer.run();
  CHECK(messages == std::vector<std::string>{"file.cc:1: CHECK(a == b) failed at 7 ns: a is 1",
                                             "file.cc:2: CHECK(a == b) failed at 3 us: a is 1"});
  CHECK(RunningClock::now() == nullptr);
}

TEST_CASE("an event may run the queue it is in") {
  EventQueue queue;
  std::string order;
  queue.schedule(nanoseconds(1), [&] {
    order += '(';
    queue.run();
    order += ')';
  });
  queue.schedule(nanoseconds(1), [&] { order += 'a'; });
  queue.schedule(nanoseconds(2), [&] { order += 'b'; });
  queue.run();
  CHECK(order == "(ab)");
}

TEST_CASE("what a destroyed queue still held is destroyed") {
  auto owned = std::make_shared<int>(0);
  {
    EventQueue queue;
    queue.schedule(nanoseconds(1), [owned] { ++*owned; });
    CHECK(owned.use_count() == 2);
  }
  CHECK(owned.use_count() == 1);
}

}  // namespace
}  // namespace orrery
