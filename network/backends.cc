#include "network/backends.h"

#include "network/analytical/analytical_backend.h"
#include "network/credit/credit_backend.h"
#include "network/fluid/fluid_backend.h"
#include "network/queue/queue_backend.h"
#ifdef ORRERY_HAS_NS3
#include "network/ns3/ns3_backend.h"
#endif

namespace orrery {

std::span<const BackendEntry> builtin_backends() {
  static constexpr BackendEntry entries[] = {
#define BACKEND(name, sentence) {#name, sentence, &make_##name##_backend},
#include "network/backends.def"
#undef BACKEND
  };
  return entries;
}

const BackendEntry* find_backend(std::string_view name) {
  for (const BackendEntry& entry : builtin_backends())
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace orrery
