#include "network/backends.h"

namespace orrery {

// What each of them defines, network/<name>/<name>_backend.h.
#define BACKEND(name, sentence)                          \
  extern const BackendTraits name##_traits;              \
  std::unique_ptr<NetworkBackend> make_##name##_backend( \
      EventQueue& queue, const Topology& topology, const NetworkSpec& spec);
#include "network/backends.def"
#undef BACKEND

std::span<const BackendEntry> builtin_backends() {
  static constexpr BackendEntry entries[] = {
#define BACKEND(name, sentence) {#name, sentence, &make_##name##_backend, &name##_traits},
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
