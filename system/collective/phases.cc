#include "system/collective/phases.h"

#include <algorithm>
#include <numeric>

namespace orrery {
namespace {

// The first `count` dimensions, and those from there on.
std::vector<int> first_of(const DimensionOrder& order, int count) {
  return {order.begin(), order.begin() + count};
}
std::vector<int> rest_of(const DimensionOrder& order, int count) {
  return {order.begin() + count, order.end()};
}

// Up: reduce-scatter, or, where only the root has anything, scatter. What is left is dealt with on
// the last level. Down: all-gather, or, where only the root wants it, gather.
std::vector<Phase> through_parts(Collective kind, const DimensionOrder& order) {
  const int top = static_cast<int>(order.size()) - 1;
  const bool from_root = kind == Collective::broadcast, to_root = kind == Collective::reduce;
  const auto line_of_root = [&](int i, bool only) {
    return only ? rest_of(order, i + 1) : std::vector<int>();
  };
  std::vector<Phase> phases;
  for (int i = 0; i < top; ++i)
    phases.push_back({order[i], from_root ? Collective::scatter : Collective::reduce_scatter,
                      first_of(order, i), line_of_root(i, from_root)});
  phases.push_back({order[top], kind, first_of(order, top)});
  for (int i = top - 1; i >= 0; --i)
    phases.push_back({order[i], to_root ? Collective::gather : Collective::all_gather,
                      first_of(order, i), line_of_root(i, to_root), true});
  return phases;
}

}  // namespace

std::vector<DimensionOrder> orders_of(HierarchicalSchedule schedule, int dimensions) {
  DimensionOrder order(dimensions);
  std::iota(order.begin(), order.end(), 0);
  std::vector<DimensionOrder> orders = {order};
  const bool several =
      schedule == HierarchicalSchedule::torus || schedule == HierarchicalSchedule::themis;
  while (several && static_cast<int>(orders.size()) < dimensions) {
    std::rotate(order.begin(), order.begin() + 1, order.end());
    orders.push_back(order);
  }
  // The rotations first, so that an order has one number in all schedules.
  constexpr int most = 4;  // of whose orders all are at hand: 24
  if (schedule != HierarchicalSchedule::themis || dimensions > most) return orders;
  order = orders.front();
  while (std::next_permutation(order.begin(), order.end()))
    if (std::find(orders.begin(), orders.end(), order) == orders.end()) orders.push_back(order);
  return orders;
}

std::vector<Phase> make_phases(Collective kind, HierarchicalSchedule schedule,
                               const DimensionOrder& order) {
  const bool in_parts = schedule == HierarchicalSchedule::local_bandwidth_aware ||
                        schedule == HierarchicalSchedule::torus ||
                        schedule == HierarchicalSchedule::themis;
  if (schedule == HierarchicalSchedule::flat) return {{kWhole, planned_as(kind)}};
  std::vector<Phase> phases;
  const int top = static_cast<int>(order.size()) - 1;
  switch (kind) {
    case Collective::all_reduce:
      if (in_parts) return through_parts(kind, order);
      [[fallthrough]];
    case Collective::barrier:
      for (int i = 0; i <= top; ++i) phases.push_back({order[i], kind});
      break;
    case Collective::all_to_all:
    case Collective::all_to_allv: {
      const bool back = schedule == HierarchicalSchedule::across_first;
      for (int i = 0; i <= top; ++i)
        phases.push_back({order[back ? top - i : i], planned_as(kind), {}, {}, back});
      break;
    }
    case Collective::reduce_scatter:
      for (int i = 0; i <= top; ++i) phases.push_back({order[i], kind, first_of(order, i)});
      break;
    case Collective::all_gather:
      for (int i = top; i >= 0; --i)
        phases.push_back({order[i], kind, first_of(order, i), {}, true});
      break;
    case Collective::broadcast:
      if (in_parts) return through_parts(kind, order);
      for (int i = top; i >= 0; --i)
        phases.push_back({order[i], kind, {}, first_of(order, i), true});
      break;
    case Collective::reduce:
      if (in_parts) return through_parts(kind, order);
      for (int i = 0; i <= top; ++i) phases.push_back({order[i], kind, {}, first_of(order, i)});
      break;
    case Collective::scatter:
      for (int i = 0; i <= top; ++i)
        phases.push_back({order[i], kind, first_of(order, i), rest_of(order, i + 1)});
      break;
    case Collective::gather:
      for (int i = top; i >= 0; --i)
        phases.push_back({order[i], kind, first_of(order, i), rest_of(order, i + 1), true});
      break;
  }
  return phases;
}

}  // namespace orrery
