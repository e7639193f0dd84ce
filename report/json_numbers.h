// Totals in JSON: a number up to 2^63 - 1, and beyond that its decimal digits as a string, because
// most readers would take such a number for the nearest double (docs/results.md).
#pragma once

#include <nlohmann/json.hpp>

#include "core/units/unit_text.h"

namespace orrery {

template <class Q>
nlohmann::ordered_json exact_json(Total<Q> total) {
  if (total.fits()) return total.narrow().value;
  return digits(total);
}

}  // namespace orrery
