// How long a rank's own work takes. Pure: the same work on the same device takes the same time.
#pragma once

#include "core/units/units.h"
#include "system/operation_source.h"

namespace orrery {

class ComputeModel {
 public:
  virtual ~ComputeModel() = default;
  virtual Duration time_of(const Compute& work) const = 0;
};

}  // namespace orrery
