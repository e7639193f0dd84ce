// The order of events against a reference that is slow and obviously right: the smallest (time,
// number of the schedule call) among what was scheduled and not cancelled.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/event/event_queue.h"

namespace orrery {
namespace {

// Schedules and cancels at random, from outside and from within events, and checks each event as it
// runs. `failure` holds the first difference: REQUIRE per event would take most of the time.
class RandomRun : public EventHandler {
 public:
  explicit RandomRun(std::uint64_t seed)
      : random_(seed, "event order"), id_(queue_.add_handler(*this)) {
    // Each run has its own mixture: how often ties and zero delays are drawn, how wide the range
    // is.
    tie_share_ = random_.uniform();
    widest_ = 1 + random_.uniform_int(45);
  }

  void run(int steps) {
    for (int step = 0; step < steps && failure.empty(); ++step) {
      switch (random_.uniform_int(6)) {
        case 0:
        case 1:
          schedule();
          break;
        case 2:
          cancel();
          break;
        default:
          run_one();
      }
      check_view();
    }
    budget_ = 0;
    const bool finished = queue_.run();
    if (!finished || !reference_.empty()) fail("events were left over");
    check_view();
    // And once more after running dry.
    for (int i = 0; i < 5; ++i) schedule();
    check_view();
    queue_.run();
    if (!reference_.empty()) fail("events were left over at the end");
  }

  void on_event(std::uint64_t event) override {
    if (reference_.empty()) return fail("an event ran that should not exist");
    const auto first = reference_.begin();
    if (first->second != event) return fail("another event was due");
    if (queue_.now().since_start.value != first->first.first) return fail("now() is wrong");
    reference_.erase(first);
    ++executed_;
    for (auto children = random_.uniform_int(3); children > 0 && budget_ > 0; --children) {
      --budget_;
      schedule();
    }
    if (random_.uniform_int(4) == 0) cancel();
    if (bursts_ > 0 && random_.uniform_int(20) == 0) burst();
    check_view();
  }

  // Lets up to `count` events each schedule many others and cancel nearly all, so that the queue
  // sweeps its cancelled entries while ties are half drained.
  void allow_bursts(int count) { bursts_ = count; }

  std::string failure;

 private:
  struct Cancellable {
    EventQueue::Handle handle;
    std::pair<std::int64_t, std::uint64_t> key;
  };

  Duration delay() {
    if (random_.uniform() < tie_share_) return picoseconds(1000) * random_.uniform_int(4);
    return picoseconds(
        static_cast<std::int64_t>(random_.next_u64() >> (64 - random_.uniform_int(widest_) - 1)));
  }

  enum Kind : std::uint64_t { handler_event, callback, cancellable };

  void schedule() { schedule(static_cast<Kind>(random_.uniform_int(3))); }

  void schedule(Kind kind) {
    const Duration after = delay();
    const std::uint64_t event = scheduled_++;
    const std::pair key{(queue_.now() + after).since_start.value, event};
    reference_.emplace(key, event);
    switch (kind) {
      case handler_event:
        queue_.schedule_at(queue_.now() + after, id_, event);
        break;
      case callback:
        queue_.schedule(after, [this, event] { on_event(event); });
        break;
      case cancellable:
        cancellables_.push_back(
            {queue_.schedule_cancellable(after, [this, event] { on_event(event); }), key});
    }
  }

  void cancel() {
    if (cancellables_.empty()) return;
    // A recent one, which is likely to be pending.
    const std::uint64_t back = random_.uniform_int(std::min<std::size_t>(8, cancellables_.size()));
    cancel(cancellables_[cancellables_.size() - 1 - back]);
  }

  void cancel(const Cancellable& chosen) {
    const bool expected = reference_.erase(chosen.key) == 1;
    if (queue_.cancel(chosen.handle) != expected) fail("cancel() said the wrong thing");
  }

  void burst() {
    --bursts_;
    const std::size_t first = cancellables_.size();
    for (int i = 0; i < 2000; ++i) schedule(cancellable);
    for (std::size_t i = first; i < cancellables_.size(); ++i) {
      if (random_.uniform_int(20) != 0) cancel(cancellables_[i]);
    }
  }

  void run_one() {
    const bool expected = !reference_.empty();
    if (queue_.run_one() != expected) fail("run_one() said the wrong thing");
  }

  void check_view() {
    if (queue_.pending() != reference_.size()) fail("pending() is wrong");
    if (queue_.executed() != executed_) fail("executed() is wrong");
    const Time next =
        reference_.empty() ? Time::never() : Time{picoseconds(reference_.begin()->first.first)};
    if (queue_.next_time() != next) fail("next_time() is wrong");
  }

  void fail(const char* what) {
    if (failure.empty()) {
      failure = std::string(what) + " after " + std::to_string(executed_) + " events";
    }
  }

  EventQueue queue_;
  RandomStream random_;
  EventQueue::HandlerId id_;
  double tie_share_ = 0;
  std::uint64_t widest_ = 1;
  int bursts_ = 0;
  int budget_ = 2000;  // events scheduled by events
  std::uint64_t scheduled_ = 0, executed_ = 0;
  std::map<std::pair<std::int64_t, std::uint64_t>, std::uint64_t> reference_;
  std::vector<Cancellable> cancellables_;
};

void check_seeds(std::uint64_t first, std::uint64_t last, int steps, int bursts = 0) {
  for (std::uint64_t seed = first; seed < last; ++seed) {
    RandomRun run(seed);
    run.allow_bursts(bursts);
    run.run(steps);
    INFO("seed " << seed);
    REQUIRE(run.failure == "");
  }
}

TEST_CASE("random operations run in the order of the reference") { check_seeds(0, 2000, 200); }

TEST_CASE("sweeping cancelled events keeps the order of the others") {
  check_seeds(20'000, 20'100, 200, 2);
}

TEST_CASE("long random runs run in the order of the reference", "[slow]") {
  check_seeds(10'000, 10'200, 20'000);
}

TEST_CASE("many events of one time run in the order in which they were scheduled") {
  // 1000 events fill several blocks of a bucket; they are scheduled from different distances, so
  // some have been redistributed when the last ones arrive.
  EventQueue queue;
  std::vector<int> order;
  int scheduled = 0;
  const Time due{microseconds(5)};
  for (const Duration now :
       {microseconds(0), microseconds(4), nanoseconds(4999), microseconds(5)}) {
    queue.schedule(now, [&] {
      for (int i = 0; i < 250; ++i) {
        const int number = scheduled++;
        queue.schedule(due - queue.now(), [&order, number] { order.push_back(number); });
      }
    });
  }
  queue.run();
  REQUIRE(order.size() == 1000);
  for (int i = 0; i < 1000; ++i) REQUIRE(order[i] == i);
}

TEST_CASE("a million events with random times come out sorted and stable", "[slow]") {
  struct Recorder : EventHandler {
    void on_event(std::uint64_t argument) override { seen.push_back(argument); }
    std::vector<std::uint64_t> seen;
  } recorder;
  EventQueue queue;
  const EventQueue::HandlerId id = queue.add_handler(recorder);
  RandomStream random(7, "million");
  std::vector<std::pair<std::int64_t, std::uint64_t>> expected;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    const auto time = static_cast<std::int64_t>(random.uniform_int(300'000));
    queue.schedule_at(Time{picoseconds(time)}, id, i);
    expected.emplace_back(time, i);
  }
  queue.run();
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  REQUIRE(recorder.seen.size() == expected.size());
  bool equal = true;
  for (std::size_t i = 0; i < expected.size(); ++i) equal &= recorder.seen[i] == expected[i].second;
  REQUIRE(equal);
}

}  // namespace
}  // namespace orrery
