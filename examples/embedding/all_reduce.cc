// What an all-reduce costs as the NICs become faster: a C++ program that simulates without a file.
// It links the rooms up to simulation/, and so neither yaml-cpp, CLI11 nor Protobuf.
#include <algorithm>
#include <cstdio>

#include "core/units/unit_text.h"
#include "simulation/simulate.h"

using namespace orrery;

namespace {

// Two nodes of four NPUs; every NPU has a NIC of that bandwidth. All of them sum 64 MiB.
Experiment all_reduce_over(Bandwidth nic) {
  Experiment experiment;
  experiment.name = "all-reduce";
  experiment.topology.levels = {
      {"node", LevelKind::switched, 4, gigabytes_per_second(300), nanoseconds(500), Scope::local},
      {"fabric", LevelKind::switched, 2, nic, microseconds(2), Scope::scale_out}};
  ProgramSpec::Step step{};
  step.operation = {0, -1, CollectiveCall{Collective::all_reduce, 0, mebibytes(64), {}, {}}};
  step.wait = true;
  ProgramSpec program;
  program.parts.push_back({{}, {step}});
  experiment.workload.what = std::move(program);
  return experiment;
}

}  // namespace

int main() {
  std::puts("NIC        all-reduce   busiest link");
  for (const std::int64_t gigabits : {100, 200, 400, 800}) {
    const RunResult result = simulate(all_reduce_over(gigabits_per_second(gigabits)));
    const LinkRow& busiest = *std::ranges::max_element(result.links, {}, &LinkRow::utilisation);
    std::printf("%3d Gb/s  %11s   %s, %.0f %%\n", static_cast<int>(gigabits),
                to_text(result.finish).c_str(), busiest.level.c_str(), 100 * busiest.utilisation);
  }
}
