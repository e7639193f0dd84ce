// The hold model (Jones, CACM 29, 1986): with n events pending, take the earliest and schedule
// another one a random increment later. One iteration is one hold. The increments are drawn
// beforehand and read in sequence, so no random number is computed while the clock runs.
//
//   RadixHeap       the heap inside EventQueue, alone
//   PriorityQueue   std::priority_queue with the same 16-byte payload. To keep ties in push order
//   it
//                   needs a sequence number, so its entries have 24 bytes
//   EventQueue      everything a simulation pays: heap, dispatch to a handler, schedule_at from
//   there Callbacks       the same with callbacks instead of handler events
#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/event/event_queue.h"
#include "core/event/radix_heap.h"

namespace orrery {
namespace {

enum Increments { exponential, bimodal, eight_delays, all_ties };

// 2^18 increments are 2 MB: read in sequence, they cost a fraction of a nanosecond each.
constexpr std::size_t increment_count = std::size_t{1} << 18;

std::vector<std::uint64_t> draw(Increments kind) {
  RandomStream random(1, "event queue benchmark");
  std::vector<std::uint64_t> increments(increment_count);
  for (std::uint64_t& increment : increments) {
    switch (kind) {
      case exponential:
        increment = static_cast<std::uint64_t>(random.exponential(1e6));  // 1 us
        break;
      case bimodal:  // nine messages to a neighbour, one long computation
        increment =
            static_cast<std::uint64_t>(random.exponential(random.uniform() < 0.9 ? 1e4 : 1e7));
        break;
      case eight_delays:
        increment = 500'000 + 20'000 * random.uniform_int(8);
        break;
      case all_ties:
        increment = 1'000'000;
        break;
    }
  }
  return increments;
}

class Increment {
 public:
  explicit Increment(Increments kind) : values_(draw(kind)) {}
  std::uint64_t next() { return values_[at_++ % increment_count]; }

 private:
  std::vector<std::uint64_t> values_;
  std::size_t at_ = 0;
};

struct StablePriorityQueue {
  struct Entry {
    std::uint64_t time, payload, sequence;
    bool operator>(const Entry& other) const {
      return time != other.time ? time > other.time : sequence > other.sequence;
    }
  };
  void push(RadixHeap::Entry entry) { heap.push({entry.time, entry.payload, pushed++}); }
  RadixHeap::Entry pop() {
    const Entry top = heap.top();
    heap.pop();
    return {top.time, top.payload};
  }
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  std::uint64_t pushed = 0;
};

template <class Heap>
void hold(benchmark::State& state, Increments kind) {
  const auto pending = static_cast<std::uint64_t>(state.range(0));
  Increment increment(kind);
  Heap heap;
  for (std::uint64_t i = 0; i < pending; ++i) heap.push({increment.next(), i});
  const auto one = [&] {
    RadixHeap::Entry entry = heap.pop();
    entry.time += increment.next();
    heap.push(entry);
    return entry.payload;
  };
  for (std::uint64_t i = 0; i < 2 * pending; ++i) one();  // reach the steady state
  for (auto _ : state) benchmark::DoNotOptimize(one());
  state.SetItemsProcessed(state.iterations());
}

// Each event schedules its successor.
class Chain : public EventHandler {
 public:
  Chain(EventQueue& queue, Increments kind)
      : queue_(queue), id_(queue.add_handler(*this)), increment_(kind) {}

  void start(std::uint64_t pending) {
    for (std::uint64_t i = 0; i < pending; ++i) on_event(i);
  }
  void on_event(std::uint64_t argument) override {
    const auto delay = static_cast<std::int64_t>(increment_.next());
    queue_.schedule_at(queue_.now() + picoseconds(delay), id_, argument);
  }

 private:
  EventQueue& queue_;
  EventQueue::HandlerId id_;
  Increment increment_;
};

class CallbackChain {
 public:
  CallbackChain(EventQueue& queue, Increments kind) : queue_(queue), increment_(kind) {}

  void start(std::uint64_t pending) {
    for (std::uint64_t i = 0; i < pending; ++i) go_on(i);
  }
  void go_on(std::uint64_t chain) {
    const auto delay = static_cast<std::int64_t>(increment_.next());
    queue_.schedule(picoseconds(delay), [this, chain] { go_on(chain); });
  }

 private:
  EventQueue& queue_;
  Increment increment_;
};

template <class Work>
void run_queue(benchmark::State& state, Increments kind) {
  const auto pending = static_cast<std::uint64_t>(state.range(0));
  EventQueue queue;
  Work work(queue, kind);
  work.start(pending);
  while (queue.executed() < 2 * pending) queue.run([] { return true; });
  // run() asks every 256 events: that many holds are one batch.
  while (state.KeepRunningBatch(256)) queue.run([] { return true; });
  state.SetItemsProcessed(state.iterations());
}

void register_all() {
  struct Case {
    const char* name;
    Increments increments;
    std::vector<std::int64_t> pending;
  };
  const std::vector<Case> cases{
      {"exponential", exponential, {1'000, 10'000, 100'000, 1'000'000, 10'000'000}},
      {"bimodal", bimodal, {100'000, 1'000'000}},
      {"eight_delays", eight_delays, {1'000, 100'000}},
      {"all_ties", all_ties, {1'000, 100'000}},
  };
  struct Subject {
    const char* name;
    void (*run)(benchmark::State&, Increments);
  };
  const std::vector<Subject> subjects{{"RadixHeap", hold<RadixHeap>},
                                      {"PriorityQueue", hold<StablePriorityQueue>},
                                      {"EventQueue", run_queue<Chain>},
                                      {"Callbacks", run_queue<CallbackChain>}};
  for (const Case& one : cases) {
    for (const std::int64_t pending : one.pending) {
      for (const Subject& subject : subjects) {
        const std::string name = std::string(one.name) + '/' + subject.name;
        benchmark::RegisterBenchmark(name.c_str(), subject.run, one.increments)->Arg(pending);
      }
    }
  }
}

}  // namespace
}  // namespace orrery

int main(int argc, char** argv) {
  orrery::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
