#include "simulation/compute_times.h"

#include <memory>
#include <utility>

#include "simulation/devices.h"
#include "system/compute/variation.h"

namespace orrery {

namespace {

struct VariedDevices {
  VariedDevices(const Experiment& experiment, VariationSpec variation, std::int32_t ranks)
      : devices(experiment, ranks), compute(devices, std::move(variation), ranks) {}
  Devices devices;
  VariedCompute compute;
};

}  // namespace

std::function<Duration(Rank, const Operation&)> compute_times(const Experiment& experiment,
                                                              const Job& job) {
  VariationSpec variation = experiment.npu.variation;
  variation.seed = experiment.seed;
  const auto devices = std::make_shared<VariedDevices>(experiment, std::move(variation), job.ranks);
  return [devices, &job](Rank rank, const Operation& operation) {
    const std::int32_t iteration =
        operation.label < 0 ? 0 : job.labels[static_cast<std::size_t>(operation.label)].iteration;
    return devices->compute.time_on(
        {.rank = rank, .operation = operation.id, .iteration = iteration, .begin = Time{}},
        std::get<Compute>(operation.what));
  };
}

}  // namespace orrery
