// Listeners as small numbers, because arrivals are kept by the million and there are two or three
// listeners.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/network_backend.h"

namespace orrery {

class ListenerNumbers {
 public:
  std::uint32_t number_of(MessageListener& listener) {
    if (last_ < listeners_.size() && listeners_[last_] == &listener) [[likely]]
      return last_;
    const auto found = std::find(listeners_.begin(), listeners_.end(), &listener);
    last_ = static_cast<std::uint32_t>(found - listeners_.begin());
    if (found == listeners_.end()) listeners_.push_back(&listener);
    return last_;
  }

  MessageListener& operator[](std::uint32_t number) const { return *listeners_[number]; }

 private:
  std::vector<MessageListener*> listeners_;
  std::uint32_t last_ = 0;
};

}  // namespace orrery
