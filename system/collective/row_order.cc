#include "system/collective/row_order.h"

#include "network/equal_distances.h"
#include "network/shift_bandwidth.h"

namespace orrery {

void RowOrder::set(GroupLayout& layout) {
  const std::int32_t rows = communicator_.rows;
  GroupDimension& last = layout.dimensions.back();
  const bool divides = last.one_level && last.size % rows == 0 && last.size > rows;
  if (rows > 1 && divides && any_order(last.level)) last.rows = rows;
}

bool RowOrder::any_order(int level) {
  const LevelKind kind = topology_.levels()[static_cast<std::size_t>(level)].kind;
  if (kind != LevelKind::graph) return kind == LevelKind::switched;
  if (communicator_.few_bytes) return true;
  const auto known = equally_far_.find(level);
  if (known != equally_far_.end()) return known->second;
  return equally_far_[level] = !shifts_differ(topology_) && equally_far(topology_, level);
}

}  // namespace orrery
