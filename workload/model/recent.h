// The latest few values that were made, by key; older ones are made again when they are asked for.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace orrery {

template <class Key, class Value>
class Recent {
 public:
  explicit Recent(std::size_t most) : most_(most) {}  // REQUIRES: most > 0

  // Valid until the next call.
  template <class Make>
  const Value& get(const Key& key, Make make) {
    const auto found = values_.find(key);
    if (found != values_.end()) return found->second;
    Value value = make();
    if (order_.size() < most_) {
      order_.push_back(key);
    } else {
      values_.erase(std::exchange(order_[oldest_], key));
      oldest_ = (oldest_ + 1) % most_;
    }
    return values_.emplace(key, std::move(value)).first->second;
  }

 private:
  std::size_t most_, oldest_ = 0;
  std::map<Key, Value> values_;
  std::vector<Key> order_;  // a ring once it is full
};

}  // namespace orrery
