#include "system/rank/traffic_account.h"

#include <algorithm>

namespace orrery {

TrafficKinds::TrafficKinds(std::span<const Label> labels) {
  for (const Label& label : labels) {
    const auto known = std::find(names_.begin(), names_.end(), label.traffic);
    kind_of_label_.push_back(
        label.traffic.empty() ? -1 : static_cast<std::int32_t>(known - names_.begin()));
    if (!label.traffic.empty() && known == names_.end()) names_.push_back(label.traffic);
  }
}

}  // namespace orrery
