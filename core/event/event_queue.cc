#include "core/event/event_queue.h"

#include <limits>
#include <utility>

#include "core/base/running_clock.h"
#include "core/event/tie_shuffle.h"
#include "core/units/unit_text.h"

namespace orrery {

EventQueue::EventQueue() : handlers_{nullptr} {}
EventQueue::EventQueue(const TieOrder& order) : EventQueue() {
  if (order.ties == Ties::seed) ties_ = std::make_unique<TieShuffle>(order);
}
EventQueue::~EventQueue() = default;

void EventQueue::push_shuffled(RadixHeap::Entry entry) { ties_->push(entry); }

EventQueue::HandlerId EventQueue::add_handler(EventHandler& handler) {
  CHECK(handlers_.size() <= std::numeric_limits<std::uint16_t>::max(), "more than {} handlers",
        handlers_.size() - 1);
  handlers_.push_back(&handler);
  return {static_cast<std::uint16_t>(handlers_.size() - 1)};
}

void EventQueue::refuse(Time when) const {
  if (when == Time::never()) units_internal::leave_range(DurationTag::beyond);
  check_internal::fail(__FILE__, __LINE__, "when >= now()",
                       fmt::format("event scheduled for {}, now is {}",
                                   exact_text(when.since_start), exact_text(now_.since_start)));
}

std::uint64_t EventQueue::add_callback(Callback callback) {
  CHECK(static_cast<bool>(callback), "an empty callback was scheduled");
  if (first_free_ == no_slot) [[unlikely]] {
    slots_.emplace_back();
    slots_.back().next_free = no_slot;
    first_free_ = static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const std::uint32_t slot = first_free_;
  first_free_ = slots_[slot].next_free;
  slots_[slot].callback = std::move(callback);
  return slot;
}

void EventQueue::free_slot(std::uint32_t slot) {
  ++slots_[slot].generation;
  slots_[slot].next_free = first_free_;
  first_free_ = slot;
}

EventQueue::Handle EventQueue::schedule_cancellable(Duration delay, Callback callback) {
  const std::uint64_t payload = add_callback(std::move(callback));
  push(now_ + delay, ordinary, payload);
  const auto slot = static_cast<std::uint32_t>(payload);
  return {slot, slots_[slot].generation};
}

bool EventQueue::cancel(Handle handle) {
  if (handle.slot >= slots_.size()) return false;
  Slot& slot = slots_[handle.slot];
  if (slot.generation != handle.generation || !slot.callback) return false;
  const Callback dropped = std::move(slot.callback);
  ++cancelled_;
  ++cancelled_in_heap_;
  // Timers that are nearly always cancelled must not fill the heap with what will never run.
  // Sweeping when half of it is dead costs a constant per cancellation.
  constexpr std::size_t few = 1024;
  if (cancelled_in_heap_ > pending() + few) sweep_cancelled();
  return true;
}

void EventQueue::sweep_cancelled() {
  const auto keep = [this](RadixHeap::Entry entry) {
    if (!is_cancelled(entry)) return true;
    skip(entry);
    return false;
  };
  heap_.retain(keep);
  if (ties_) ties_->retain(keep);
}

void EventQueue::skip(RadixHeap::Entry entry) {
  free_slot(static_cast<std::uint32_t>(entry.payload));
  --cancelled_in_heap_;
}

inline void EventQueue::execute(RadixHeap::Entry entry) {
  now_key_ = entry.time;
  now_ = time_of(now_key_);
  ++executed_;
  const std::uint64_t handler = entry.payload >> argument_bits;
  if (handler != 0) {
    handlers_[handler]->on_event(entry.payload & argument_mask);
    return;
  }
  // Moved out first: the callback may schedule another one, which may make the slots move.
  const auto slot = static_cast<std::uint32_t>(entry.payload);
  Callback callback = std::move(slots_[slot].callback);
  free_slot(slot);
  callback();
}

template <bool shuffled>
[[gnu::always_inline]] inline bool EventQueue::execute_next() {
  while (shuffled ? !ties_->empty() : !heap_.empty()) {
    const RadixHeap::Entry entry = shuffled ? ties_->pop() : heap_.pop();
    if (cancelled_in_heap_ != 0 && is_cancelled(entry)) [[unlikely]] {
      skip(entry);
      continue;
    }
    if (shuffled) ties_->begin_event();
    execute(entry);
    if (shuffled) ties_->end_event();
    return true;
  }
  // Cancelled entries may have led the heap past now().
  heap_.restart_at(now_key_);
  return false;
}

bool EventQueue::run() {
  const RunningClock clock(now_);
  if (ties_) {
    while (execute_next<true>()) {
    }
    return true;
  }
  while (execute_next<false>()) {
  }
  return true;
}

template <bool shuffled>
bool EventQueue::run_until(const std::function<bool()>& stop) {
  constexpr int events_between_questions = 256;
  while (true) {
    for (until_asked_ = events_between_questions; until_asked_ > 0; --until_asked_) {
      if (!execute_next<shuffled>()) return true;
    }
    if (stop()) return false;
  }
}

bool EventQueue::run(const std::function<bool()>& stop) {
  const RunningClock clock(now_);
  stop_ = &stop;
  const struct Reset {  // however the run ends
    const std::function<bool()>*& stop;
    ~Reset() { stop = nullptr; }
  } reset{stop_};
  try {
    return ties_ ? run_until<true>(stop) : run_until<false>(stop);
  } catch (const Stopped&) {
    return false;
  }
}

bool EventQueue::run_one() {
  const RunningClock clock(now_);
  return ties_ ? execute_next<true>() : execute_next<false>();
}

Time EventQueue::next_time() const {
  if (pending() == 0) return Time::never();
  const auto counts = [this](RadixHeap::Entry entry) { return !is_cancelled(entry); };
  if (ties_) return time_of(ties_->minimum_if(counts));
  const std::uint64_t key = cancelled_in_heap_ == 0 ? heap_.minimum() : heap_.minimum_if(counts);
  return time_of(key);
}

}  // namespace orrery
