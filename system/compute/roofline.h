// Compute time from a processor's two limits: max(flops / peak, bytes / memory bandwidth); a
// measured time is taken as it is. S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 52(4),
// 2009.
#pragma once

#include <optional>

#include "system/compute_model.h"

namespace orrery {

struct RooflineSpec {
  FlopRate peak;                              // reached by every operation; 0 = none stated
  std::optional<Bandwidth> memory_bandwidth;  // none = memory traffic costs no time
};

class Roofline final : public ComputeModel {
 public:
  explicit Roofline(const RooflineSpec& spec) : spec_(spec) {}
  Duration time_of(const Compute& work) const override;

 private:
  RooflineSpec spec_;
};

}  // namespace orrery
