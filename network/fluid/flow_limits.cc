#include "network/fluid/flow_limits.h"

#include <algorithm>
#include <limits>

namespace orrery {

std::string_view name_of(ClassSharing sharing) {
  switch (sharing) {
    case ClassSharing::fair:
      return "fair";
    case ClassSharing::weighted:
      return "weighted";
    case ClassSharing::strict:
      return "strict";
  }
  return "?";
}

namespace fluid {
namespace {

double efficiency_of(const std::vector<EfficiencyPoint>& curve, Bytes size) {
  const auto above = std::find_if(curve.begin(), curve.end(),
                                  [&](const EfficiencyPoint& p) { return p.size >= size; });
  if (above == curve.begin()) return value_of(curve.front().efficiency);
  if (above == curve.end()) return value_of(curve.back().efficiency);
  const EfficiencyPoint& below = *(above - 1);
  const double part = static_cast<double>((size - below.size).value) /
                      static_cast<double>((above->size - below.size).value);
  const double low = value_of(below.efficiency);
  return low + part * (value_of(above->efficiency) - low);
}

}  // namespace

double flow_limit(const FluidSpec& spec, Bytes size, Duration latency, Bandwidth narrowest) {
  double limit = std::numeric_limits<double>::infinity();
  if (spec.flow_limit) limit = static_cast<double>(spec.flow_limit->value);
  if (spec.window && latency > Duration{})
    limit = std::min(limit, static_cast<double>(spec.window->value) * 1e12 /
                                static_cast<double>(2 * latency.value));
  const auto wire = static_cast<double>(narrowest.value);
  if (!spec.efficiency.empty())
    limit = std::min(limit, efficiency_of(spec.efficiency, size) * wire);
  return limit >= wire ? std::numeric_limits<double>::infinity() : limit;
}

}  // namespace fluid
}  // namespace orrery
