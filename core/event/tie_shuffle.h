// The events of a queue whose ties are drawn (Ties::seed). What one event schedules for one time
// keeps its order, as in the real thing: a rank posts its chunks one after the other. What
// different events schedule for the same time goes in an order that is drawn; so does what is
// scheduled while no event runs.
//
// A binary heap: slower than the radix heap, which needs no key beside the time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "core/base/random.h"
#include "core/event/radix_heap.h"
#include "core/event/ties.h"

namespace orrery {

class TieShuffle {
 public:
  using Entry = RadixHeap::Entry;

  explicit TieShuffle(const TieOrder& order)
      : random_(order.seed, "order of events of one time", {order.draw, 0}) {}

  bool empty() const { return pending_.empty(); }

  void push(Entry entry) {
    const std::uint64_t cause = in_event_ ? cause_ : random_.next_u64();
    pending_.push_back({entry, cause, pushed_++});
    std::ranges::push_heap(pending_, is_later);
  }

  Entry pop() {  // REQUIRES: !empty()
    std::ranges::pop_heap(pending_, is_later);
    const Entry entry = pending_.back().entry;
    pending_.pop_back();
    return entry;
  }

  // What is pushed between these is scheduled by one event.
  void begin_event() {
    cause_ = random_.next_u64();
    in_event_ = true;
  }
  void end_event() { in_event_ = false; }

  // The earliest time among the entries that `keep` accepts. REQUIRES: there is one.
  template <class Keep>
  std::uint64_t minimum_if(Keep keep) const {
    std::uint64_t least = ~std::uint64_t{0};
    for (const Pending& pending : pending_)
      if (keep(pending.entry)) least = std::min(least, pending.entry.time);
    return least;
  }

  // Drops the entries that `keep` refuses; it is asked once for each.
  template <class Keep>
  void retain(Keep keep) {
    std::erase_if(pending_, [&](const Pending& pending) { return !keep(pending.entry); });
    std::ranges::make_heap(pending_, is_later);
  }

 private:
  struct Pending {
    Entry entry;
    std::uint64_t cause, number;
  };
  static bool is_later(const Pending& a, const Pending& b) {
    return std::tie(a.entry.time, a.cause, a.number) > std::tie(b.entry.time, b.cause, b.number);
  }

  RandomStream random_;
  std::vector<Pending> pending_;
  std::uint64_t cause_ = 0, pushed_ = 0;
  bool in_event_ = false;
};

}  // namespace orrery
