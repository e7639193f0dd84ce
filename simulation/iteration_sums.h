// What one iteration asks of rank 0, known without simulating it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/units/total.h"
#include "simulation/experiment.h"
#include "system/job.h"
#include "system/rank/selection.h"

namespace orrery {

struct IterationSums {
  std::size_t operations = 0;
  TotalTime compute;
  TotalFlops flops;
  TotalBytes sent, received;  // by point-to-point operations
  struct Calls {
    std::int64_t calls = 0, chunks = 0;
    TotalBytes size;
    TotalTime least_time;
  };
  std::array<Calls, collective_count> collectives;

  // So many times more of what is in `last` and not in `before`.
  void grow(const IterationSums& last, const IterationSums& before, std::int64_t times);
};

// REQUIRES: `topology` and `selection` are those of the experiment.
IterationSums iteration_sums(const Experiment& experiment, const Topology& topology,
                             Selection& selection);

// Of a call by the first group of the communicator, as it is selected: by bandwidth only.
Duration least_time(Selection& selection, const Topology& topology, Collective kind,
                    const Communicator& communicator, Bytes size);

}  // namespace orrery
