#include "simulation/name_of_traffic.h"

#include "system/collective_algorithm.h"
#include "system/rank/point_to_point.h"

namespace orrery {

std::string name_of_traffic(std::size_t label) {
  if (label == kPointToPointLabel) return "point_to_point";
  return std::string(name_of(static_cast<Collective>(label)));
}

}  // namespace orrery
