// Events that are due at one time, taken out in an order that is drawn from a seed. Those that are
// scheduled for this time while others of it run join the ones that are left.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/event/radix_heap.h"
#include "core/event/ties.h"

namespace orrery {

class TieShuffle {
 public:
  explicit TieShuffle(const TieOrder& order)
      : random_(order.seed, "order of events of one time", {order.draw, 0}) {}

  // Moves into this what is due at the earliest time. REQUIRES: this or the heap has an entry; the
  // heap has none that is earlier than those here.
  void refill(RadixHeap& heap) {
    if (entries_.empty()) entries_.push_back(heap.pop());
    while (!heap.empty() && heap.minimum() == entries_.front().time) entries_.push_back(heap.pop());
  }

  // One of them, each as likely as the others. REQUIRES: there is one.
  RadixHeap::Entry take() {
    if (entries_.size() > 1)
      std::swap(entries_[random_.uniform_int(entries_.size())], entries_.back());
    const RadixHeap::Entry entry = entries_.back();
    entries_.pop_back();
    return entry;
  }

  const std::vector<RadixHeap::Entry>& entries() const { return entries_; }  // all of one time

 private:
  RandomStream random_;
  std::vector<RadixHeap::Entry> entries_;
};

}  // namespace orrery
