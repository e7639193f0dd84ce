// What a fabric holds and does not let go, as text.
#pragma once

#include <string>

#include "network/packet/packet_fabric.h"

namespace orrery {

// A line for each link of the chain: "  a -> b: 234 kB wait, for".
std::string text_of_chain(const PacketFabric& fabric, const LastingPause& pause);

// The packets that wait before links, and the cycle of links that wait for each other; "": none.
std::string what_waits(const PacketFabric& fabric);

}  // namespace orrery
