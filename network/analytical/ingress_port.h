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
    if (count_ == capacity_) [[unlikely]]
      resize(std::max(kFewest, 2 * capacity_));
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
    begin_ = (begin_ + 1) & (capacity_ - 1);
    --count_;
    if (count_ == 0) {
      head_end = Time::never();
      begin_ = 0;  // the same places again and again: they are in the caches
      return;
    }
    const Arrival& next = at(0);
    // Read when `next` ends, after a round of all other ports: by then it is out of the caches.
    __builtin_prefetch(&at(1));
    head_end = std::max(next.open, now) + next.duration;
    // Those in use wander through all places, and should stay in the caches.
    if (begin_ == 0 && capacity_ > kFewest && count_ < capacity_ / 8) [[unlikely]]
      resize(capacity_ / 2);
  }

 private:
  static constexpr std::uint32_t kFewest = 4;
  static constexpr std::uint32_t kFewToMove = 6;  // one by one: a call of memmove costs more

  // The places are a ring of a power of two.
  std::uint32_t slot(std::uint32_t index) const { return (begin_ + index) & (capacity_ - 1); }
  Arrival& at(std::uint32_t index) { return places_[slot(index)]; }

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
    ++count_;
    if (place < count_ / 2) {
      begin_ = slot(capacity_ - 1);
      move_down(place);
    } else {
      move_up(place);
    }
    return place;
  }

  // Arrivals 1 to `place` become 0 to `place` - 1.
  void move_down(std::uint32_t place) {
    std::uint32_t index = 0;
    if (place <= kFewToMove) [[likely]] {
      for (; index < place; ++index) at(index) = at(index + 1);
      return;
    }
    while (index < place) {
      const std::uint32_t to = slot(index), from = slot(index + 1);
      const std::uint32_t run = from < to ? 1 : std::min(place - index, capacity_ - from);
      move(from, to, run);
      index += run;
    }
  }
  // Arrivals `place` to `count_` - 2 become those behind them.
  void move_up(std::uint32_t place) {
    std::uint32_t end = count_ - 1;
    if (end <= place + kFewToMove) [[likely]] {
      for (; end > place; --end) at(end) = at(end - 1);
      return;
    }
    while (end > place) {
      const std::uint32_t to = slot(end), from = slot(end - 1);
      const std::uint32_t run = from > to ? 1 : std::min(end - place, from + 1);
      move(from + 1 - run, to + 1 - run, run);
      end -= run;
    }
  }
  void move(std::uint32_t from, std::uint32_t to, std::uint32_t count) {
    std::memmove(&places_[to], &places_[from], count * sizeof(Arrival));
  }

  void resize(std::uint32_t capacity) {
    auto places = std::make_unique_for_overwrite<Arrival[]>(capacity);
    for (std::uint32_t index = 0; index < count_; ++index) places[index] = at(index);
    places_ = std::move(places);
    capacity_ = capacity;
    begin_ = 0;
  }

  std::unique_ptr<Arrival[]> places_;
  std::uint32_t capacity_ = 0;
  std::uint32_t begin_ = 0, count_ = 0;  // of the places, those of arrivals
  Time last_open_;                       // of the last arrival, if any
  std::uint32_t last_turn_ = 0;
};

}  // namespace orrery
