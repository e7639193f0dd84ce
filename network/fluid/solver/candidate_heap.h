// Links by the level at which they will be full, lowest first, and lowest number first among equal
// levels.
//
// Filling asks for the first one millions of times, and a processor cannot guess which of two
// levels is lower: level and link are one integer, so that no comparison is a branch. (The bits of
// doubles >= 0 are in the order of their values.)
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "network/fluid/solver/path_store.h"

namespace orrery::fluid {

class CandidateHeap {
 public:
  void clear() { keys_.clear(); }
  bool empty() const { return keys_.empty(); }

  // Any number of them, then arrange() before anything is asked. A level below 0 counts as 0.
  void add(double level, LinkId link) { keys_.push_back(key(level, link)); }
  void arrange() {
    for (std::size_t place = keys_.size() / 2; place-- > 0;) sift_down(place, keys_[place]);
  }

  // One more, at any time. A link may be in it several times, at different levels.
  void push(double level, LinkId link) {
    const Key item = key(level, link);
    std::size_t place = keys_.size();
    keys_.push_back(item);
    for (; place > 0 && item < keys_[(place - 1) / 2]; place = (place - 1) / 2)
      keys_[place] = keys_[(place - 1) / 2];
    keys_[place] = item;
  }

  LinkId link() const { return static_cast<LinkId>(keys_.front()); }
  double level() const { return level_of(keys_.front()); }
  double second_level() const {  // infinite if there is only one
    if (keys_.size() < 2) return std::numeric_limits<double>::infinity();
    return level_of(keys_.size() == 2 ? keys_[1] : std::min(keys_[1], keys_[2]));
  }
  void pop() {
    const Key last = keys_.back();
    keys_.pop_back();
    if (!keys_.empty()) sift_down(0, last);
  }
  void raise(double level) { sift_down(0, key(level, link())); }  // of the first

 private:
  __extension__ typedef unsigned __int128 Key;  // the bits of the level above the link

  static Key key(double level, LinkId link) {
    return Key{std::bit_cast<std::uint64_t>(level > 0 ? level : 0.0)} << 32 | link;
  }
  static double level_of(Key key) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(key >> 32));
  }

  void sift_down(std::size_t place, Key item) {
    const std::size_t count = keys_.size();
    std::size_t below = 2 * place + 1;
    for (; below + 1 < count; below = 2 * place + 1) {
      below += keys_[below + 1] < keys_[below] ? 1 : 0;
      if (item <= keys_[below]) break;
      keys_[place] = keys_[below];
      place = below;
    }
    if (below + 1 == count && keys_[below] < item) {
      keys_[place] = keys_[below];
      place = below;
    }
    keys_[place] = item;
  }

  std::vector<Key> keys_;
};

}  // namespace orrery::fluid
