// Values along one side of a chart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/units/units.h"

namespace orrery {

// Values from `low` to `high` go to positions from `begin` to `end`. REQUIRES: low < high.
struct Axis {
  double low, high, begin, end;
  double at(double value) const { return begin + (end - begin) * (value - low) / (high - low); }
};

// Multiples of 1, 2 or 5 times a power of ten, at most `most` intervals. REQUIRES: low < high.
std::vector<double> ticks(double low, double high, int most);

// The unit of an axis, and how many of what values are in (ps, bytes) make one.
struct AxisUnit {
  std::string_view name;
  double size;
};
AxisUnit axis_unit(Duration largest);
AxisUnit axis_unit(Bytes largest);

}  // namespace orrery
