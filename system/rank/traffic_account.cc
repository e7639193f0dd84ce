#include "system/rank/traffic_account.h"

#include <algorithm>

namespace orrery {

std::string kind_of_traffic(const Label& label, std::uint8_t detail) {
  if (!label.traffic.empty()) return label.traffic;
  const std::string kind(name_of_detail(detail));
  if (label.pass == Pass::forward) return kind + " forward";
  if (label.pass == Pass::input_gradient) return kind + " backward";
  return kind;
}

TrafficKinds::TrafficKinds(std::span<const Label> labels) {
  for (const Label& label : labels) {
    const auto known = std::find(names_.begin(), names_.end(), label.traffic);
    kind_of_label_.push_back(
        label.traffic.empty() ? -1 : static_cast<std::int32_t>(known - names_.begin()));
    if (!label.traffic.empty() && known == names_.end()) names_.push_back(label.traffic);
  }
}

std::int32_t TrafficKinds::note(const Label& named, std::int32_t label, std::uint8_t detail) {
  std::int32_t& kind = kind_of_label_[label];
  if (kind >= 0) return kind;
  const std::string name = kind_of_traffic(named, detail);
  const auto known = std::find(names_.begin(), names_.end(), name);
  kind = static_cast<std::int32_t>(known - names_.begin());
  if (known == names_.end()) names_.push_back(name);
  return kind;
}

}  // namespace orrery
