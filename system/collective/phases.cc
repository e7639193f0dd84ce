#include "system/collective/phases.h"

namespace orrery {

std::vector<Phase> make_phases(Collective kind, HierarchicalSchedule schedule, int dimensions) {
  std::vector<Phase> phases;
  const int top = dimensions - 1;
  switch (kind) {
    case Collective::all_to_all:
      for (int d = 0; d <= top; ++d) phases.push_back({d, kind, 0});
      break;
    case Collective::reduce_scatter:
      for (int d = 0; d <= top; ++d) phases.push_back({d, kind, d});
      break;
    case Collective::all_gather:
      for (int d = top; d >= 0; --d) phases.push_back({d, kind, d});
      break;
    case Collective::all_reduce:
      if (schedule == HierarchicalSchedule::baseline) {
        for (int d = 0; d <= top; ++d) phases.push_back({d, kind, 0});
        break;
      }
      for (int d = 0; d < top; ++d) phases.push_back({d, Collective::reduce_scatter, d});
      phases.push_back({top, Collective::all_reduce, top});
      for (int d = top - 1; d >= 0; --d) phases.push_back({d, Collective::all_gather, d});
      break;
  }
  return phases;
}

}  // namespace orrery
