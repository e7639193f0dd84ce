// The one function of network/ns3/ that the rest calls. It is a seam: programs either link ns-3, or
// load it when an experiment first needs TCP (CMakeLists.txt, orrery_ns3). Loading ns-3 takes
// longer than most runs: docs/decisions/0019-ns3-is-loaded.md.
#pragma once

#include "network/packet/packet_transport.h"

// TCP over ns-3; the caller owns it. Found by its name, so it has that of a C function.
extern "C" orrery::PacketTransport* orrery_make_tcp(const orrery::TransportParts& parts);
