// ns-3's congestion controls by the names of network/congestion_controls.def.
#pragma once

#include <ns3/tcp-congestion-ops.h>

#include <string_view>

namespace orrery {

// REQUIRES: the name is in the list.
ns3::Ptr<ns3::TcpCongestionOps> make_congestion_control(std::string_view name);

}  // namespace orrery
