// How fast the devices of several jobs are.
#include "simulation/devices.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

Experiment with_jobs(std::vector<std::vector<Rank>> npus) {
  Experiment experiment;
  experiment.npu.peak = teraflops_per_second(1);
  experiment.npu.efficiency.spread = {2, 100};
  JobsSpec jobs;
  for (std::vector<Rank>& of_job : npus) {
    PlacedWorkload& job = jobs.jobs.emplace_back();
    job.npus = std::move(of_job);
  }
  experiment.workload.what = std::move(jobs);
  return experiment;
}

double seconds_on(const Devices& devices, Rank rank) {
  const Compute work{.flops = Flops{1'000'000'000'000}, .memory_traffic = {}, .measured = {}};
  const Occasion occasion{.rank = rank, .operation = 0, .iteration = 0, .begin = {}};
  return static_cast<double>(devices.time_on(occasion, work).value) * 1e-12;
}

// Of n normal draws the largest is E_n above the mean: E_2 = 1 / sqrt(pi) = 0.5642 and E_4 = 1.0294
// deviations, here of 2 %. A second of work, whatever else the platform has.
TEST_CASE("a device is as slow as the slowest of its own job, not of the platform") {
  const Devices devices(with_jobs({{0, 1}, {4, 5, 6, 7}}), 1'024);
  CHECK(seconds_on(devices, 1) == Approx(1 + 0.02 * 0.5642).epsilon(1e-5));
  CHECK(seconds_on(devices, 7) == Approx(1 + 0.02 * 1.0294).epsilon(1e-5));
  const Devices alone(with_jobs({{0, 1}}), 1'024);
  CHECK(seconds_on(alone, 0) == seconds_on(devices, 0));
}

TEST_CASE("without jobs a device is as slow as the slowest of all ranks") {
  Experiment experiment = with_jobs({});
  experiment.workload.what = ProgramSpec();
  CHECK(seconds_on(Devices(experiment, 4), 3) == Approx(1 + 0.02 * 1.0294).epsilon(1e-5));
}

}  // namespace
}  // namespace orrery
