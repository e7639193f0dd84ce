#include "system/system_spec.h"

namespace orrery {

CollectiveSpec rule_for(const CollectiveSpec& spec, Bytes size) {
  for (const SizeRange& range : spec.ranges)
    if (!range.below || size < *range.below) return range.spec;
  CollectiveSpec rule = spec;
  rule.ranges.clear();
  return rule;
}

const ProtocolCost* find_cost(std::span<const ProtocolCost> costs, Protocol protocol,
                              std::string_view algorithm, std::optional<Scope> scope) {
  const std::string_view plain = algorithm.substr(0, algorithm.find(':'));
  const ProtocolCost* found = nullptr;
  const auto nearness = [](const ProtocolCost& cost) {
    return (cost.algorithm.empty() ? 0 : 2) + (cost.scope ? 1 : 0);
  };
  for (const ProtocolCost& cost : costs) {
    const bool holds = cost.protocol == protocol &&
                       (cost.algorithm.empty() || cost.algorithm == plain) &&
                       (!cost.scope || !scope || cost.scope == scope);
    if (holds && (found == nullptr || nearness(cost) > nearness(*found))) found = &cost;
  }
  return found;
}

}  // namespace orrery
