#include "report/chart/axis.h"

#include <array>
#include <cmath>

namespace orrery {

namespace {

template <std::size_t count>
AxisUnit largest_within(const std::array<AxisUnit, count>& units, double value) {
  AxisUnit unit = units.front();
  for (const AxisUnit& larger : units)
    if (larger.size <= value) unit = larger;
  return unit;
}

}  // namespace

std::vector<double> ticks(double low, double high, int most) {
  const double power = std::pow(10, std::floor(std::log10((high - low) / most)));
  double step = power * 10;
  for (const double factor : {5.0, 2.0, 1.0})
    if ((high - low) / (power * factor) <= most) step = power * factor;
  std::vector<double> values;
  const auto last = static_cast<int>(std::floor(high / step));
  for (auto i = static_cast<int>(std::ceil(low / step)); i <= last; ++i) values.push_back(i * step);
  return values;
}

AxisUnit axis_unit(Duration largest) {
  constexpr std::array<AxisUnit, 5> units{
      {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}}};
  return largest_within(units, static_cast<double>(largest.value));
}

AxisUnit axis_unit(Bytes largest) {
  constexpr std::array<AxisUnit, 5> units{
      {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}};
  return largest_within(units, static_cast<double>(largest.value));
}

}  // namespace orrery
