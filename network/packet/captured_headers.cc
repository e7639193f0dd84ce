#include "network/packet/captured_headers.h"

namespace orrery {

void put_big(std::uint8_t* at, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) at[i] = static_cast<std::uint8_t>(value >> 8 * (bytes - 1 - i));
}

std::uint32_t address_of(NodeId node) {
  return 10U << 24 | (static_cast<std::uint32_t>(node.value) & 0xff'ffff);
}

std::uint32_t sum_of(std::span<const std::uint8_t> bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 2)
    sum += std::uint32_t{bytes[i]} << 8 | bytes[i + 1];
  return sum;
}

std::uint32_t checksum_of(std::uint32_t sum) {
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}

void put_ip_header(std::uint8_t* at, const IpFields& fields) {
  const std::uint32_t ecn = fields.marked ? 3 : fields.can_be_marked ? 2 : 0;  // RFC 3168
  put_big(at, 0x4500 | std::uint32_t{fields.service} << 2 | ecn, 2);
  put_big(at + 2, fields.length, 2);
  put_big(at + 4, 0, 2);
  put_big(at + 6, 0x4000, 2);  // do not fragment
  at[8] = 64;                  // time to live
  at[9] = fields.protocol;
  put_big(at + 10, 0, 2);
  put_big(at + 12, address_of(fields.from), 4);
  put_big(at + 16, address_of(fields.to), 4);
  put_big(at + 10, checksum_of(sum_of({at, ip_header_size})), 2);
}

}  // namespace orrery
