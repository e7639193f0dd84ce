// What carries more on a level whose bandwidth binds: its links, a fabric that tapers less, faster
// NICs where several NPUs share one, or a wider bus between them.
#pragma once

#include <string>

#include "network/topology/topology.h"

namespace orrery {

inline constexpr double least_taper = 1.01;  // less is none

// Of what a port of the level takes over what it gets while all send, `taper`, the part that is
// lost behind the NICs: their NPUs bring no more than they carry. 1 if nothing is.
double taper_behind_nics(const Topology& topology, int level, double taper);

// "less taper at spine (now 2:1)", "faster NICs, which several NPUs share (now 4:1)", "a wider bus
// between NPUs and NICs (bus_bandwidth, now 64 GB/s)", "more bandwidth on spine". `level`: its
// name, that of a link, or two names with " and " between them, of a port and what is behind it.
std::string more_bandwidth(const Topology& topology, const std::string& level, double taper);

// "faster NICs, which several NPUs share, or " where the link leaves or enters such a NIC; else "".
std::string if_shared_nic(const Topology& topology, const std::string& link);

}  // namespace orrery
