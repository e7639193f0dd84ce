// The queue pairs that may send over one link of an NPU now, by priority, in turn (round robin). A
// pair that may not (nothing to send, its window is full, its rate says later) is in no list, so
// nothing here looks at all pairs.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "network/switch_spec.h"

namespace orrery {

class NicPort {
 public:
  static constexpr std::uint32_t none = 0xffff'ffff;

  // `next` of a pair is where its successor in the list is kept.
  template <class Next>
  void push(std::uint32_t pair, std::uint8_t priority, const Next& next) {
    List& list = lists_[priority];
    next(pair) = none;
    if (list.first == none)
      list.first = pair;
    else
      next(list.last) = pair;
    list.last = pair;
    occupied_ |= 1U << priority;
  }

  // Takes the next pair of the highest priority that is not paused; none: there is none.
  template <class Next, class Paused>
  std::uint32_t pop(const Next& next, const Paused& paused) {
    for (unsigned left = occupied_; left != 0;) {
      const auto priority = static_cast<unsigned>(std::bit_width(left)) - 1;
      left &= ~(1U << priority);
      if (paused(static_cast<std::uint8_t>(priority))) continue;
      List& list = lists_[priority];
      const std::uint32_t pair = list.first;
      list.first = next(pair);
      if (list.first == none) occupied_ &= ~(1U << priority);
      return pair;
    }
    return none;
  }

  // The same, but of that priority the pair with the least rank, the earliest of equals.
  template <class Next, class Paused, class Rank>
  std::uint32_t pop_least(const Next& next, const Paused& paused, const Rank& rank) {
    for (unsigned priority = PacketClass::count; priority-- > 0;) {
      if ((occupied_ >> priority & 1) == 0 || paused(static_cast<std::uint8_t>(priority))) continue;
      List& list = lists_[priority];
      std::uint32_t least = list.first, before_least = none;
      for (std::uint32_t one = list.first, before = none; one != none;
           before = one, one = next(one)) {
        if (rank(one) >= rank(least)) continue;
        least = one;
        before_least = before;
      }
      (before_least == none ? list.first : next(before_least)) = next(least);
      if (list.last == least) list.last = before_least;
      if (list.first == none) occupied_ &= ~(1U << priority);
      return least;
    }
    return none;
  }

 private:
  struct List {
    std::uint32_t first = none, last = none;
  };
  std::array<List, PacketClass::count> lists_;
  unsigned occupied_ = 0;  // a bit for each priority
};

}  // namespace orrery
