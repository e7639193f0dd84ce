#include "network/transport/recovery.h"

namespace orrery {

// What each of them defines, network/transport/<name>_recovery.cc.
#define ROCE_RECOVERY(name, sentence) \
  std::unique_ptr<Recovery> make_##name##_recovery(const RoceSpec& spec);
#include "network/roce_recoveries.def"
#undef ROCE_RECOVERY

std::span<const RecoveryEntry> roce_recoveries() {
  static constexpr RecoveryEntry entries[] = {
#define ROCE_RECOVERY(name, sentence) {RecoveryKind::name, #name, &make_##name##_recovery},
#include "network/roce_recoveries.def"
#undef ROCE_RECOVERY
  };
  return entries;
}

std::string_view name_of(RecoveryKind kind) {
  for (const RecoveryEntry& entry : roce_recoveries())
    if (entry.kind == kind) return entry.name;
  return "";
}

std::unique_ptr<Recovery> make_recovery(const RoceSpec& spec) {
  for (const RecoveryEntry& entry : roce_recoveries())
    if (entry.kind == spec.recovery) return entry.make(spec);
  return nullptr;
}

}  // namespace orrery
