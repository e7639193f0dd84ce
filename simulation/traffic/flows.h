// The flows of a traffic specification: when each begins, how large it is, and between whom.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/units/units.h"
#include "network/topology/topology.h"
#include "simulation/flow.h"
#include "simulation/traffic_spec.h"

namespace orrery {

// In bytes. REQUIRES: points without problems.
double mean_size(std::span<const SizePoint> points);
// The mean of the square of a size.
double mean_square_size(std::span<const SizePoint> points);
// The size below which that share of the flows is, at least 1 byte.
Bytes size_at(std::span<const SizePoint> points, double share);

// In bytes a second.
struct FabricCapacity {
  double host = 0;     // what an NPU can send on the outermost level
  double hosts = 0;    // all NPUs at once: less than each alone where they share NICs
  double uplinks = 0;  // links from switches with NPUs or NICs to other switches; 0: there are none
};
FabricCapacity capacity_of(const Topology& topology);

// What the flows send in all, in bytes a second. That of incasts is `load` of the same.
double offered(const FlowsSpec& flows, Fraction load, const FabricCapacity& capacity);

// Of flows and incasts.
double offered(const TrafficSpec& spec, const FabricCapacity& capacity);

// How many start in a second, about.
double flows_a_second(const TrafficSpec& spec, const FabricCapacity& capacity);

// The standard deviation of all that is drawn, as a share of its mean; 0 if nothing is sent.
// REQUIRES: spec.flows.length.
double drawn_deviation(const TrafficSpec& spec, const FabricCapacity& capacity);

// REQUIRES: spec.flows.length. In the order of their starts. What an NPU sends depends on the seed,
// on its number and on what it offers, not on the others.
std::vector<Flow> flows_of(const TrafficSpec& spec, const FabricCapacity& capacity,
                           std::int32_t npus, std::uint64_t seed);

}  // namespace orrery
