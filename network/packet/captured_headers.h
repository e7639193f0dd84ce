// Headers in network byte order, for captures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "network/topology/topology.h"

namespace orrery {

inline constexpr std::size_t ip_header_size = 20;

// A source port of the dynamic ones, 49,152 to 65,535 (RFC 6335).
constexpr std::uint16_t source_port(std::uint32_t number) {
  return static_cast<std::uint16_t>(49'152 + number % 16'384);
}

// The last `bytes` bytes of a value.
void put_big(std::uint8_t* at, std::uint32_t value, int bytes);

// The address of NPU n is 10.0.0.0 + n.
std::uint32_t address_of(NodeId node);

// The sum of RFC 1071, not yet folded and inverted. REQUIRES: an even number of bytes.
std::uint32_t sum_of(std::span<const std::uint8_t> bytes);
std::uint32_t checksum_of(std::uint32_t sum);

struct IpFields {
  NodeId from, to;
  std::uint8_t protocol = 0;
  std::uint8_t service = 0;  // DSCP, 6 bits
  bool can_be_marked = false, marked = false;
  std::uint32_t length = 0;  // with this header
};
// RFC 791 with its checksum. Not fragmented, so it needs no identification (RFC 6864).
void put_ip_header(std::uint8_t* at, const IpFields& fields);

}  // namespace orrery
