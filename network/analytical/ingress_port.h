// The receiving side of one port of an NPU: messages whose window has opened are taken in one after
// the other, in the order in which their windows open; at equal times those that come
// from the nearest, as their group counts, so that no rank is treated differently because of its
// number; of one group and distance, which is one source, in the order of the sends.
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

#include "core/units/total.h"
#include "core/units/units.h"
#include "network/network_backend.h"
#include "network/turn.h"

namespace orrery {

struct Arrival {
  Time open;          // the message may enter the port from here on
  Duration duration;  // it then occupies the port
  MessageToken token;
  Bytes size;
  std::uint32_t turn;      // equal openings go by this: turn_of()
  std::uint32_t listener;  // as the backend numbers them

  bool goes_behind(Time other_open, std::uint32_t other_turn) const {
    return open > other_open || (open == other_open && turn >= other_turn);
  }
};
static_assert(sizeof(Arrival) == 48);

class IngressPort {
 public:
  TotalBytes link_bytes;  // that came over the port's own link, if it has one (from a switch)

  // Returns true if the arrival became the head, and writes its end to `head_end`.
  bool announce(const Arrival& arrival, Time now, Time& head_end) {
    if (count_ == capacity_) [[unlikely]]
      grow();
    if (count_ > 0 && arrival.goes_behind(last_open_, last_turn_)) [[likely]] {
      note_last(arrival);
      at(count_++) = arrival;
      return false;
    }
    const std::uint32_t place = make_room(arrival);
    at(place) = arrival;
    if (place == count_ - 1) note_last(arrival);
    if (place != 0) return false;
    head_end = std::max(arrival.open, now) + arrival.duration;
    return true;
  }

  const Arrival& head() const { return ring_[begin_]; }  // REQUIRES: there is one

  // Removes the head, which ends now; the next one, if any, begins, and its end is written to
  // `head_end`, else Time::never().
  void drop_head(Time now, Time& head_end) {
    begin_ = (begin_ + 1) & (capacity_ - 1);
    --count_;
    if (count_ == 0) {
      head_end = Time::never();
    } else {
      const Arrival& next = at(0);
      // Read when `next` ends, after a round of all other ports: by then it is out of the caches.
      __builtin_prefetch(&at(1));
      head_end = std::max(next.open, now) + next.duration;
    }
  }

 private:
  Arrival& at(std::uint32_t index) { return ring_[(begin_ + index) & (capacity_ - 1)]; }

  void note_last(const Arrival& arrival) {
    last_open_ = arrival.open;
    last_turn_ = arrival.turn;
  }

  // Makes room behind every arrival that goes before this one, moving the shorter side.
  std::uint32_t make_room(const Arrival& arrival) {
    std::uint32_t place = count_, low = 0;
    while (low < place) {
      const std::uint32_t middle = (low + place) / 2;
      if (arrival.goes_behind(at(middle).open, at(middle).turn))
        low = middle + 1;
      else
        place = middle;
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
  Time last_open_;  // of the last arrival in the ring, if any
  std::uint32_t last_turn_ = 0;
};

}  // namespace orrery
