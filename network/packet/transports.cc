#include "network/packet/transports.h"

#include <algorithm>

#include "core/base/check.h"

namespace orrery {

std::span<const TransportEntry> packet_transports() {
#define TRANSPORT(name, sentence) {TransportKind::name, #name, sentence, &make_##name##_transport},
#ifdef ORRERY_HAS_NS3
#define TRANSPORT_OF_NS3 TRANSPORT
#else
#define TRANSPORT_OF_NS3(name, sentence) {TransportKind::name, #name, sentence, nullptr},
#endif
  static constexpr TransportEntry entries[] = {
#include "network/transports.def"
  };
#undef TRANSPORT_OF_NS3
#undef TRANSPORT
  return entries;
}

const TransportEntry& packet_transport(TransportKind kind) {
  const std::span<const TransportEntry> entries = packet_transports();
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const TransportEntry& entry) { return entry.kind == kind; });
  CHECK(found != entries.end(), "no packet transport is called ", name_of(kind));
  return *found;
}

}  // namespace orrery
