// Small experiments with flows, for tests.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "simulation/simulate_traffic.h"

namespace orrery::test {

// A star of 100 Gb/s (80 ps a byte) and 500 ns a link.
inline Experiment star(std::int32_t npus, const std::string& backend) {
  Experiment experiment;
  experiment.name = "star";
  experiment.topology = {{{"fabric", LevelKind::switched, npus, gigabits_per_second(100),
                           nanoseconds(500), Scope::scale_out}}};
  experiment.network.backend = backend;
  return experiment;
}

inline TrafficSpec fixed_size(Bytes size, double load, Duration length) {
  TrafficSpec traffic;
  traffic.flows.sizes = {{size, 1.0}};
  traffic.flows.load = load;
  traffic.flows.length = length;
  traffic.flows.warm_up = Duration{};
  return traffic;
}

inline const FlowSizeRow& row(const TrafficResult& result, const std::string& flows) {
  for (const FlowSizeRow& one : result.rows)
    if (one.flows == flows) return one;
  FAIL("no row " << flows);
  return result.rows.front();
}

}  // namespace orrery::test
