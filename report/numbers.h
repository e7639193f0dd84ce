// Numbers as the text reports show them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/units.h"

namespace orrery {

// One unit for all times of a table, so that they can be compared by their looks. It suits the
// largest, but is small enough that those a thousand times shorter still show: us up to 100 ms.
struct TimeUnit {
  std::string_view name;
  Duration size;
};
TimeUnit common_unit(Duration largest);

// Three decimals, half away from zero: "17039.360".
std::string in_unit(Duration duration, TimeUnit unit);

// "81.8 %" for each part, rounded so that what is shown adds up to exactly 100.0 % (by largest
// remainder). REQUIRES: parts >= 0 that sum to the whole. All "-" if the whole is 0.
std::vector<std::string> percentages(std::span<const Duration> parts);

// "81.8 %" of one; "-" if the whole is 0.
std::string percentage(Duration part, Duration whole);

// part / whole with three decimals: "1.076"; "-" if the whole is 0.
std::string ratio(Duration part, Duration whole);

// "53.3 k", for numbers of which nobody reads more than three or four digits.
std::string short_number(double number);

}  // namespace orrery
