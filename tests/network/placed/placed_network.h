// What tests of NDP and UET over the packet backend begin with.
#pragma once

#include <algorithm>

#include "tests/network/network_under_test.h"

namespace orrery::test {

inline NetworkSpec placed(TransportKind kind, std::int64_t payload = 4'096) {
  NetworkSpec spec;
  spec.transport.kind = kind;
  spec.transport.roce.payload = bytes(payload);
  return spec;
}

inline PacketStatistics statistics_of(const NetworkUnderTest& net) {
  return *net.network->statistics().packets;
}

inline Duration last_of(const NetworkUnderTest& net) {
  return *std::ranges::max_element(net.log.delivered_at) - Time{};
}

}  // namespace orrery::test
