// Once a simulation has reached its steady state, scheduling and running events takes no memory
// from the heap.
#include <catch2/catch.hpp>
#include <cstdint>

#include "core/base/random.h"
#include "core/event/event_queue.h"
#include "tests/counted_allocations.h"

namespace orrery {
namespace {

// Half of the chains are handler events, half callbacks; every callback also re-arms a timer that
// is cancelled by the next one.
class Chains : public EventHandler {
 public:
  Chains() : id_(queue_.add_handler(*this)) {
    for (std::uint64_t i = 0; i < 10'000; ++i) go_on(i);
  }
  void on_event(std::uint64_t chain) override { go_on(chain); }
  void run(int batches) {
    queue_.run([&] { return --batches == 0; });
  }

 private:
  void go_on(std::uint64_t chain) {
    const Duration delay = picoseconds(static_cast<std::int64_t>(random_.exponential(1e6)));
    if (chain % 2 == 0) {
      queue_.schedule_at(queue_.now() + delay, id_, chain);
      return;
    }
    queue_.cancel(timer_);
    timer_ = queue_.schedule_cancellable(microseconds(100), [] {});
    queue_.schedule(delay, [this, chain] { go_on(chain); });
  }

  EventQueue queue_;
  RandomStream random_{3, "chains"};
  EventQueue::HandlerId id_;
  EventQueue::Handle timer_;
};

TEST_CASE("the steady state allocates nothing") {
  Chains chains;
  const std::uint64_t before = allocations;
  chains.run(100);  // 40 events per chain
  CHECK(allocations >= before);
  const std::uint64_t steady = allocations;
  chains.run(200);
  const std::uint64_t after = allocations;
  CHECK(after - steady == 0);
}

TEST_CASE("the allocation counter counts") {
  const std::uint64_t before = allocations;
  void* memory = ::operator new(8);
  const std::uint64_t after = allocations;
  ::operator delete(memory);
  CHECK(after == before + 1);
}

}  // namespace
}  // namespace orrery
