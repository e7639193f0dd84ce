// The one clock of a simulation. An ordinary object: two of them can run in one process or test.
//
// Order: by time; at equal times the early events before the others, and among each kind in the
// order of the schedule calls. A zero delay is legal: the event runs at now(), after everything of
// its kind already due now. The ends of messages are early events: a rank that acts at the time of
// an arrival has seen all arrivals of that time, whichever ranks sent them. So no result depends on
// how ranks are numbered (docs/decisions/0005).
//
// Two kinds of event share one order:
//
//   - handler events: 16 bytes in the queue, no slot, no allocation: (time, handler, 48-bit
//     argument). They are for hot paths: a backend's "port p is done", an executor's "lane l goes
//     on".
//   - callbacks: any move-only callable of at most 48 bytes, kept inline in a recycled slot. They
//     may be cancellable.
//
// What every event passes is always inlined: its calls were some 4 % of the instructions of
// Flat100G (docs/speed.md).
//
// If an event throws, the exception leaves run() and the queue remains usable: that event is spent,
// the others are still pending.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/check.h"
#include "core/event/callback.h"
#include "core/event/radix_heap.h"
#include "core/event/ties.h"
#include "core/units/units.h"

namespace orrery {

class TieShuffle;  // tie_shuffle.h

class EventHandler {
 public:
  virtual void on_event(std::uint64_t argument) = 0;

 protected:
  ~EventHandler() = default;
};

class EventQueue {
 public:
  EventQueue();
  // With Ties::seed the events of one time run in an order that is drawn: the early ones, then the
  // others. What one event schedules for one time keeps its order, and runs after that event. What
  // the result changes by is what it owes to the order of the calls.
  explicit EventQueue(const TieOrder& order);
  ~EventQueue();
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  Time now() const { return now_; }

  // A handler is registered once, before or during the run, and must outlive the queue's last event
  // for it. At most 65,535 handlers.
  struct HandlerId {
    std::uint16_t value = 0;
  };
  HandlerId add_handler(EventHandler& handler);

  // Calls handler.on_event(argument) at `when`. REQUIRES: when >= now() (checked in every build: a
  // violated causality must not become a wrong result), argument < 2^48.
  [[gnu::always_inline]] void schedule_at(Time when, HandlerId handler, std::uint64_t argument) {
    DCHECK(handler.value != 0 && handler.value < handlers_.size(), "handler {}", handler.value);
    DCHECK(argument <= argument_mask, "argument {}", argument);
    push(when, ordinary, std::uint64_t{handler.value} << argument_bits | argument);
  }
  // The same before the ordinary events of that time. If those of now() have begun, an early event
  // for now() comes too late to be early.
  [[gnu::always_inline]] void schedule_early_at(Time when, HandlerId handler,
                                                std::uint64_t argument) {
    DCHECK(handler.value != 0 && handler.value < handlers_.size(), "handler {}", handler.value);
    DCHECK(argument <= argument_mask, "argument {}", argument);
    push(when, early, std::uint64_t{handler.value} << argument_bits | argument);
  }

  // Runs `callback` at now() + delay. REQUIRES: delay >= 0.
  void schedule(Duration delay, Callback callback) {
    push(now_ + delay, ordinary, add_callback(std::move(callback)));
  }

  // A cancellable callback; dropping the handle does not cancel.
  struct Handle {
    std::uint32_t slot = 0, generation = 0;
  };
  Handle schedule_cancellable(Duration delay, Callback callback);
  bool cancel(Handle handle);  // false if it ran or was cancelled already

  // Runs until no event is left, or until `stop` (asked every 256 events) says so.
  // Returns false if it was stopped.
  bool run();
  bool run(const std::function<bool()>& stop);
  // `stop` is asked after the event that is being executed.
  void ask_now() { until_asked_ = 1; }
  // For events that take seconds: asks `stop` at once. If it says so, run() returns false, and the
  // event that is being executed is left by an exception where it stands. Nothing happens in a run
  // without `stop`.
  void ask_within_event() {
    if (stop_ != nullptr && (*stop_)()) throw Stopped();
  }

  bool run_one();          // false if the queue was empty
  Time next_time() const;  // Time::never() if empty; never reorders anything. Constant time, except
                           // while cancelled callbacks wait to be dropped: then it may look at them

  std::size_t pending() const { return scheduled_ - executed_ - cancelled_; }  // without cancelled
  std::uint64_t executed() const { return executed_; }                         // events run so far

 private:
  // The payload of a heap entry: the handler, 0 for callbacks, above its argument or its slot.
  static constexpr int argument_bits = 48;
  static constexpr std::uint64_t argument_mask = (std::uint64_t{1} << argument_bits) - 1;

  // Exactly a cache line. A cancelled callback leaves its slot empty, and the slot is recycled only
  // when its entry leaves the heap, so that no entry ever finds another callback in its place.
  struct Slot {
    Callback callback;
    std::uint32_t generation = 1;  // of the callback here now or next; a default Handle never fits
    std::uint32_t next_free = 0;
  };
  static_assert(sizeof(Slot) == 64);

  // What the heap sorts by: the time, and in the last bit whether the event is an ordinary one.
  enum Turn : std::uint64_t { early = 0, ordinary = 1 };

  struct Stopped {};  // thrown by ask_within_event(), caught by run()

  [[gnu::always_inline]] void push(Time when, Turn turn, std::uint64_t payload) {
    if (when < now_ || when == Time::never()) [[unlikely]]
      refuse(when);
    ++scheduled_;
    const std::uint64_t key = static_cast<std::uint64_t>(when.since_start.value) << 1 | turn;
    const RadixHeap::Entry entry{std::max(key, now_key_), payload};
    if (ties_ != nullptr) [[unlikely]]
      return push_shuffled(entry);
    heap_.push(entry);
  }
  void push_shuffled(RadixHeap::Entry entry);
  static Time time_of(std::uint64_t key) { return {{static_cast<std::int64_t>(key >> 1)}}; }
  [[noreturn]] void refuse(Time when) const;

  std::uint64_t add_callback(Callback callback);
  void free_slot(std::uint32_t slot);
  bool is_cancelled(RadixHeap::Entry entry) const {
    return entry.payload >> argument_bits == 0 && !slots_[entry.payload].callback;
  }
  void sweep_cancelled();
  void skip(RadixHeap::Entry cancelled);
  template <bool shuffled>
  bool execute_next();
  template <bool shuffled>
  bool run_until(const std::function<bool()>& stop);
  void execute(RadixHeap::Entry entry);

  Time now_{};
  std::uint64_t now_key_ = 0;  // of the event executed last
  RadixHeap heap_;
  std::unique_ptr<TieShuffle> ties_;  // null: in the order of the calls
  std::uint64_t scheduled_ = 0, executed_ = 0, cancelled_ = 0;
  std::size_t cancelled_in_heap_ = 0;
  int until_asked_ = 0;                          // events, by run(stop)
  const std::function<bool()>* stop_ = nullptr;  // of the run(stop) under way
  std::vector<EventHandler*> handlers_;          // by id; 0 stands for callbacks
  std::vector<Slot> slots_;
  std::uint32_t first_free_ = no_slot;
  static constexpr std::uint32_t no_slot = 0xffff'ffff;
};

}  // namespace orrery
