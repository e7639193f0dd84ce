#include "system/collective_algorithm.h"

namespace orrery {

#define COLLECTIVE(name, sentence) const CollectiveAlgorithm& name##_algorithm();
#include "system/algorithms/builtin.def"
#undef COLLECTIVE

std::span<const AlgorithmEntry> builtin_algorithms() {
  static constexpr AlgorithmEntry entries[] = {
#define COLLECTIVE(name, sentence) {#name, sentence, &name##_algorithm},
#include "system/algorithms/builtin.def"
#undef COLLECTIVE
  };
  return entries;
}

const CollectiveAlgorithm* find_algorithm(std::string_view name) {
  for (const AlgorithmEntry& entry : builtin_algorithms())
    if (entry.name == name) return &entry.get();
  return nullptr;
}

std::string_view name_of(Collective kind) {
  switch (kind) {
    case Collective::all_reduce:
      return "all_reduce";
    case Collective::reduce_scatter:
      return "reduce_scatter";
    case Collective::all_gather:
      return "all_gather";
    case Collective::all_to_all:
      return "all_to_all";
  }
  return "?";
}

}  // namespace orrery
