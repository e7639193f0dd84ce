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
                              std::string_view algorithm) {
  const std::string_view plain = algorithm.substr(0, algorithm.find(':'));
  const ProtocolCost* for_all = nullptr;
  for (const ProtocolCost& cost : costs) {
    if (cost.protocol != protocol) continue;
    if (cost.algorithm == plain) return &cost;
    if (cost.algorithm.empty()) for_all = &cost;
  }
  return for_all;
}

}  // namespace orrery
