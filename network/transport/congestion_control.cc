#include "network/transport/congestion_control.h"

namespace orrery {

// What each of them defines, network/transport/<name>_control.cc.
#define ROCE_CONTROL(name, ...)                                                  \
  std::unique_ptr<CongestionControl> make_##name##_control(const RoceSpec& spec, \
                                                           const PathFacts& facts);
#include "network/roce_controls.def"
#undef ROCE_CONTROL

std::span<const ControlEntry> roce_controls() {
  static constexpr ControlEntry entries[] = {
#define ROCE_CONTROL(name, window, notifications, telemetry, sentence) \
  {#name, &make_##name##_control, window, notifications, telemetry},
#include "network/roce_controls.def"
#undef ROCE_CONTROL
  };
  return entries;
}

const ControlEntry* find_roce_control(std::string_view name) {
  for (const ControlEntry& entry : roce_controls())
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace orrery
