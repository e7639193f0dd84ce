#include <charconv>

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

std::unique_ptr<const CollectiveAlgorithm> CollectiveAlgorithm::with(int) const { return nullptr; }

std::shared_ptr<const CollectiveAlgorithm> find_algorithm(std::string_view name) {
  const std::size_t colon = name.find(':');
  for (const AlgorithmEntry& entry : builtin_algorithms()) {
    if (entry.name != name.substr(0, colon)) continue;
    // The algorithms of the list live for ever: a pointer that owns nothing.
    if (colon == name.npos) return {std::shared_ptr<void>(), &entry.get()};
    int parameter = 0;
    const char* end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + colon + 1, end, parameter);
    if (error != std::errc() || rest != end || parameter < 1) return nullptr;
    return entry.get().with(parameter);
  }
  return nullptr;
}

std::string names_of(std::span<const NamedAlgorithm> algorithms, std::string_view between) {
  std::string text;
  for (const NamedAlgorithm& algorithm : algorithms) {
    if (!text.empty()) text += between;
    text += algorithm.name;
  }
  return text;
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
    case Collective::all_to_allv:
      return "all_to_allv";
    case Collective::broadcast:
      return "broadcast";
    case Collective::reduce:
      return "reduce";
    case Collective::gather:
      return "gather";
    case Collective::scatter:
      return "scatter";
    case Collective::barrier:
      return "barrier";
  }
  return "?";
}

}  // namespace orrery
