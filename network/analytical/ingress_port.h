// The receiving side of one port of an NPU: messages whose window has opened are taken in one after
// the other, in the order in which their windows open (at equal times, in the order of the sends).
//
// Messages are announced when they are sent, which is before their window opens, and not in the
// order of the windows: a sender with a long queue announces far ahead. So the port keeps them
// sorted by opening time and knows only the head's end; an announcement may displace a head that
// has not begun. Announcements mostly come in order or in reverse order of their windows; both are
// O(1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/units/units.h"
#include "network/network_backend.h"

namespace orrery {

struct Arrival {
  Time open;          // the message may enter the port from here on
  Duration duration;  // it then occupies the port
  MessageToken token;
  Bytes size;
  MessageListener* listener;
};

class IngressPort {
 public:
  bool empty() const { return count_ == 0; }
  Time head_end() const { return head_end_; }  // Time::never() if empty

  Bytes link_bytes;  // that came over the port's own link, if it has one (from a switch)

  // Returns true if the arrival became the head: its end is then head_end().
  bool announce(const Arrival& arrival, Time now) {
    if (count_ == capacity_) [[unlikely]]
      grow();
    if (count_ > 0 && arrival.open >= last_open_) [[likely]] {
      last_open_ = arrival.open;
      at(count_++) = arrival;
      return false;
    }
    const std::uint32_t place = make_room(arrival.open);
    at(place) = arrival;
    if (place == count_ - 1) last_open_ = arrival.open;
    if (place != 0) return false;
    head_end_ = std::max(arrival.open, now) + arrival.duration;
    return true;
  }

  // Removes the head, which ends now; the next one, if any, begins.
  Arrival take_head(Time now) {
    const Arrival head = at(0);
    begin_ = (begin_ + 1) & (capacity_ - 1);
    --count_;
    if (count_ == 0) {
      head_end_ = Time::never();
    } else {
      const Arrival& next = at(0);
      // Read when `next` ends, after a round of all other ports: by then it is out of the caches.
      __builtin_prefetch(&at(1));
      head_end_ = std::max(next.open, now) + next.duration;
    }
    return head;
  }

 private:
  Arrival& at(std::uint32_t index) { return ring_[(begin_ + index) & (capacity_ - 1)]; }

  // Makes room behind every arrival that opens no later, moving the shorter side.
  std::uint32_t make_room(Time open) {
    std::uint32_t place = count_, low = 0;
    while (low < place) {
      const std::uint32_t middle = (low + place) / 2;
      if (open < at(middle).open)
        place = middle;
      else
        low = middle + 1;
    }
    if (place < count_ / 2) {
      begin_ = (begin_ + capacity_ - 1) & (capacity_ - 1);
      for (std::uint32_t i = 0; i < place; ++i) at(i) = at(i + 1);
    } else {
      for (std::uint32_t i = count_; i > place; --i) at(i) = at(i - 1);
    }
    ++count_;
    return place;
  }

  void grow() {
    const std::uint32_t larger = capacity_ == 0 ? 4 : 2 * capacity_;
    auto ring = std::make_unique<Arrival[]>(larger);
    for (std::uint32_t i = 0; i < count_; ++i) ring[i] = at(i);
    ring_ = std::move(ring);
    capacity_ = larger;
    begin_ = 0;
  }

  std::unique_ptr<Arrival[]> ring_;
  std::uint32_t capacity_ = 0;  // a power of two
  std::uint32_t begin_ = 0, count_ = 0;
  Time head_end_ = Time::never();
  Time last_open_;  // of the last arrival in the ring, if any
};

}  // namespace orrery
