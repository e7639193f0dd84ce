// What a file may leave to the transport that it names: how large its packets are, and the classes
// that it needs besides those that are written.
#pragma once

#include "core/units/units.h"
#include "network/network_spec.h"

namespace orrery {

// The largest packet of the transport between nodes, with all that it costs on the wire: what a
// buffer of so many packets is counted in.
Bytes full_packet_of(const NetworkSpec& spec);

// Where the file has classes: its only class of data is that of the transport's, unless the file
// says another network.transport.priority; and where a class trims packets and none carries
// control, there is one for the headers above it, with a buffer as large.
void complete_classes(NetworkSpec& spec);

}  // namespace orrery
