// How long messages of gradients take. Keeps a time for each of them: eight bytes, where its
// packets cost thousands of events.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/units/units.h"
#include "network/packet_statistics.h"
#include "network/tensor_part.h"

namespace orrery {

class TensorClock {
 public:
  // A message that took so long is there. Only gradients count.
  void note(const TensorPart& part, Duration took) {
    if (part.way != TensorWay::none) times_[{part.way, part.layer}].push_back(took);
  }

  std::vector<TensorTimes> times() const;

 private:
  std::map<std::pair<TensorWay, std::int16_t>, std::vector<Duration>> times_;
};

}  // namespace orrery
