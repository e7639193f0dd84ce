// The devices of an experiment's ranks. Ranks of one job wait for each other, so a device is as
// slow as the slowest of its job's is expected to be (system/compute/roofline.h), whatever else
// the platform has.
#pragma once

#include <cstdint>
#include <vector>

#include "simulation/experiment.h"
#include "system/compute/roofline.h"

namespace orrery {

class Devices final : public ComputeModel {
 public:
  // `ranks`: of the whole platform.
  Devices(const Experiment& experiment, std::int32_t ranks);

  // On a device of the largest job.
  Duration time_of(const Compute& work) const override { return devices_.front().time_of(work); }
  ComputeLimit limit_of(const Compute& work) const override {
    return devices_.front().limit_of(work);
  }
  Duration time_on(const Occasion& occasion, const Compute& work) const override {
    return devices_[of_rank_.empty() ? 0 : of_rank_[static_cast<std::size_t>(occasion.rank)]]
        .time_of(work);
  }

 private:
  std::vector<Roofline> devices_;       // one for each size of jobs, the largest first
  std::vector<std::uint32_t> of_rank_;  // empty: all have the first
};

}  // namespace orrery
