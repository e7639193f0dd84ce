// The classes of packets that RoCE uses: those of the file, or lossless data and acknowledgements
// above it.
#pragma once

#include <cstdint>

#include "core/base/spec_problem.h"
#include "network/network_spec.h"

namespace orrery {

// Ascending priorities. Without classes in the file: data of RoceSpec::priority, lossless and
// marked by HPCC's ramp (4 and 16 kB for each Gb/s, 0.2), and acknowledgements and CNPs of 6.
std::vector<PacketClass> classes_for_roce(const NetworkSpec& spec);

// PIAS: one for each part between thresholds, from 7 down, marked by what waits at the port: 65
// packets of 1,500 B at 10 Gb/s, as the authors simulate, and in proportion.
std::vector<PacketClass> classes_for_pias(const NetworkSpec& spec);
// Those of data that it takes, the first one first; fewer, if the file's classes are.
std::vector<std::uint8_t> priorities_for_pias(const NetworkSpec& spec);

// With these, and the largest packet that the pairs send. Without a buffer in the file, headroom
// comes on top of the usual one.
SwitchSpec switches_for_roce(const NetworkSpec& spec);

// A buffer that the file gives holds reserve and headroom of all links of the switch, and a packet,
// where packets pass it. `usual`: the backend's transport where the file names none.
SpecProblems problems_of_headroom(const NetworkSpec& spec, const TopologySpec& topology,
                                  TransportKind usual);

// Of acknowledgements and CNPs: the class that carries control; else that of data.
std::uint8_t priority_of_answers(const NetworkSpec& spec);
// Of messages of TrafficClass::highest: the highest class of data.
std::uint8_t priority_of_highest(const NetworkSpec& spec);

}  // namespace orrery
