#include "simulation/compute_times.h"

#include <memory>
#include <utility>

#include "system/compute/roofline.h"
#include "system/compute/variation.h"

namespace orrery {

namespace {

struct Devices {
  Devices(const Experiment& experiment, VariationSpec variation, std::int32_t ranks)
      : device(experiment.npu.roofline(ranks)), compute(device, std::move(variation), ranks) {}
  Roofline device;
  VariedCompute compute;
};

}  // namespace

std::function<Duration(Rank, const Operation&)> compute_times(const Experiment& experiment,
                                                              const Job& job) {
  VariationSpec variation = experiment.npu.variation;
  variation.seed = experiment.seed;
  const auto devices = std::make_shared<Devices>(experiment, std::move(variation), job.ranks);
  return [devices, &job](Rank rank, const Operation& operation) {
    const std::int32_t iteration =
        operation.label < 0 ? 0 : job.labels[static_cast<std::size_t>(operation.label)].iteration;
    return devices->compute.time_on(
        {.rank = rank, .operation = operation.id, .iteration = iteration, .begin = Time{}},
        std::get<Compute>(operation.what));
  };
}

}  // namespace orrery
