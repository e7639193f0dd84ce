// The receiving side of one port of an NPU: messages whose window has opened are taken in one after
// the other, in the order in which their windows open; at equal times those that come
// from the nearest, as their group counts, so that no rank is treated differently because of its
// number; of one group and distance, which is one source, in the order of the sends.
//
// Messages are announced when they are sent, which is before their window opens, and not in the
// order of the windows: a sender with a long queue announces far ahead. So the port keeps them
// sorted by opening time and knows only the head's end; an announcement may displace a head that
// has not begun. Announcements mostly come in order or in reverse order of their windows, which is
// O(1); else the shorter side moves by a place, as one block of memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
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
static_assert(sizeof(Arrival) == 48 && std::is_trivially_copyable_v<Arrival>);

class alignas(64) IngressPort {
 public:
  TotalBytes link_bytes;  // that came over the port's own link, if it has one (from a switch)

  // Returns true if the arrival became the head, and writes its end to `head_end`.
  bool announce(const Arrival& arrival, Time now, Time& head_end) {
    if (begin_ + count_ == capacity_) [[unlikely]]
      make_space();
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

  const Arrival& head() const { return places_[begin_]; }  // REQUIRES: there is one

  // Removes the head, which ends now; the next one, if any, begins, and its end is written to
  // `head_end`, else Time::never().
  void drop_head(Time now, Time& head_end) {
    ++begin_;
    --count_;
    if (count_ == 0) {
      head_end = Time::never();
      begin_ = capacity_ / 2;  // the same places again and again: they are in the caches
    } else {
      const Arrival& next = at(0);
      // Read when `next` ends, after a round of all other ports: by then it is out of the caches.
      __builtin_prefetch(&at(1));
      head_end = std::max(next.open, now) + next.duration;
    }
  }

 private:
  Arrival& at(std::uint32_t index) { return places_[begin_ + index]; }

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
    if (place < count_ / 2 && begin_ == 0) make_space();
    if (place < count_ / 2 && begin_ > 0) {
      --begin_;
      move(begin_ + 1, begin_, place);
    } else {
      move(begin_ + place, begin_ + place + 1, count_ - place);
    }
    ++count_;
    return place;
  }

  void move(std::uint32_t from, std::uint32_t to, std::uint32_t count) {
    std::memmove(&places_[to], &places_[from], count * sizeof(Arrival));
  }

  // The arrivals come to lie in the middle, of twice as many places if few are free, and of half as
  // many if most are: those in use wander through all places, and should stay in the caches.
  void make_space() {
    std::uint32_t capacity = capacity_;
    if (count_ > capacity_ / 4 * 3) capacity = 2 * capacity_;
    if (count_ < capacity_ / 4) capacity = capacity_ / 2;
    capacity = std::max(4U, capacity);
    const std::uint32_t begin = (capacity - count_) / 2;
    if (capacity == capacity_) {
      move(begin_, begin, count_);
    } else {
      auto places = std::make_unique_for_overwrite<Arrival[]>(capacity);
      if (count_ > 0) std::memcpy(&places[begin], &places_[begin_], count_ * sizeof(Arrival));
      places_ = std::move(places);
      capacity_ = capacity;
    }
    begin_ = begin;
  }

  std::unique_ptr<Arrival[]> places_;
  std::uint32_t capacity_ = 0;
  std::uint32_t begin_ = 0, count_ = 0;  // of the places, those of arrivals
  Time last_open_;                       // of the last arrival, if any
  std::uint32_t last_turn_ = 0;
};

}  // namespace orrery
