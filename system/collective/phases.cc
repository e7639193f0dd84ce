#include "system/collective/phases.h"

namespace orrery {
namespace {

// Up: reduce-scatter, or, where only the root has anything, scatter. What is left is dealt with on
// the last level. Down: all-gather, or, where only the root wants it, gather.
std::vector<Phase> through_parts(Collective kind, int dimensions) {
  const int top = dimensions - 1;
  const bool from_root = kind == Collective::broadcast, to_root = kind == Collective::reduce;
  const auto line_of_root = [&](int d, bool only) {
    return only ? Phase::Dimensions{d + 1, dimensions} : Phase::Dimensions{};
  };
  std::vector<Phase> phases;
  for (int d = 0; d < top; ++d)
    phases.push_back({d, from_root ? Collective::scatter : Collective::reduce_scatter, d,
                      line_of_root(d, from_root)});
  phases.push_back({top, kind, top});
  for (int d = top - 1; d >= 0; --d)
    phases.push_back(
        {d, to_root ? Collective::gather : Collective::all_gather, d, line_of_root(d, to_root)});
  return phases;
}

}  // namespace

std::vector<Phase> make_phases(Collective kind, HierarchicalSchedule schedule, int dimensions) {
  const bool aware = schedule == HierarchicalSchedule::local_bandwidth_aware;
  if (schedule == HierarchicalSchedule::flat) return {{kWhole, kind, 0}};
  std::vector<Phase> phases;
  const int top = dimensions - 1;
  switch (kind) {
    case Collective::all_reduce:
      if (aware) return through_parts(kind, dimensions);
      [[fallthrough]];
    case Collective::all_to_all:
    case Collective::barrier:
      for (int d = 0; d <= top; ++d) phases.push_back({d, kind, 0});
      break;
    case Collective::reduce_scatter:
      for (int d = 0; d <= top; ++d) phases.push_back({d, kind, d});
      break;
    case Collective::all_gather:
      for (int d = top; d >= 0; --d) phases.push_back({d, kind, d});
      break;
    case Collective::broadcast:
      if (aware) return through_parts(kind, dimensions);
      for (int d = top; d >= 0; --d) phases.push_back({d, kind, 0, {0, d}});
      break;
    case Collective::reduce:
      if (aware) return through_parts(kind, dimensions);
      for (int d = 0; d <= top; ++d) phases.push_back({d, kind, 0, {0, d}});
      break;
    case Collective::scatter:
      for (int d = 0; d <= top; ++d) phases.push_back({d, kind, d, {d + 1, dimensions}});
      break;
    case Collective::gather:
      for (int d = top; d >= 0; --d) phases.push_back({d, kind, d, {d + 1, dimensions}});
      break;
  }
  return phases;
}

}  // namespace orrery
