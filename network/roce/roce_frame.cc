#include "network/roce/roce_frame.h"

#include <algorithm>

#include "network/packet/captured_headers.h"
#include "network/packet/wire_format.h"

namespace orrery {
namespace {

constexpr std::size_t ethernet = 14;
constexpr std::size_t ip_at = ethernet, udp_at = ip_at + ip_header_size;
constexpr std::size_t bth_at = udp_at + wire::udp, behind_bth = bth_at + wire::bth;
constexpr std::uint8_t udp = 17;
constexpr std::uint32_t roce_port = 4'791;
constexpr std::size_t notification_reserved = wire::notification - wire::packet;

// A locally administered address of each node.
void put_mac(std::uint8_t* at, NodeId node) {
  at[0] = 0x02;
  put_big(at + 2, static_cast<std::uint32_t>(node.value), 4);
}

// The checksum of Ethernet, IEEE 802.3, 3.2.9.
std::uint32_t crc32(std::uint32_t crc, std::uint8_t byte) {
  crc ^= byte;
  for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb8'8320U : 0U);
  return crc;
}

// Annex A17.3.3: 64 ones in the place of the local route header, and ones for what changes on the
// way: type of service, time to live, both checksums, and the reserved byte with FECN and BECN.
std::uint32_t invariant_crc(std::span<const std::uint8_t> packet) {
  constexpr std::size_t masked[] = {1, 8, 10, 11, 26, 27, 32};  // from the IP header on
  std::uint32_t crc = 0xffff'ffff;
  for (int i = 0; i < 8; ++i) crc = crc32(crc, 0xff);
  for (std::size_t i = 0; i < packet.size(); ++i)
    crc = crc32(crc, std::ranges::find(masked, i) != std::end(masked) ? 0xff : packet[i]);
  return ~crc;
}

}  // namespace

RoceFrame::RoceFrame(const RoceFields& fields) : from_(fields.from), to_(fields.to) {
  std::size_t at = behind_bth;
  if (fields.message_size) at += wire::reth;
  if (fields.syndrome) at += wire::aeth;
  if (fields.opcode == RoceOpcode::congestion_notification) at += notification_reserved;
  kept_ = at;
  length_ = static_cast<std::uint32_t>(at) + fields.data_bytes + wire::icrc;
  put_mac(bytes_.data(), to_);
  put_mac(&bytes_[6], from_);
  put_big(&bytes_[12], 0x0800, 2);
  put_ip_header(&bytes_[ip_at], {.from = from_,
                                 .to = to_,
                                 .protocol = udp,
                                 .service = static_cast<std::uint8_t>(fields.priority << 3),
                                 .can_be_marked = fields.can_be_marked,
                                 .length = length_ - static_cast<std::uint32_t>(ip_at)});
  put_big(&bytes_[udp_at], source_port(fields.pair), 2);
  put_big(&bytes_[udp_at + 2], roce_port, 2);
  put_big(&bytes_[udp_at + 4], length_ - static_cast<std::uint32_t>(udp_at), 2);
  put_bth(&bytes_[bth_at], fields);
  if (fields.message_size) put_big(&bytes_[behind_bth + 12], *fields.message_size, 4);
  if (fields.syndrome) bytes_[behind_bth] = *fields.syndrome;
  if (fields.data_bytes > 0) return;
  const std::uint32_t crc = invariant_crc(std::span(bytes_).subspan(ip_at, kept_ - ip_at));
  for (int i = 0; i < wire::icrc; ++i)  // the least significant byte first
    bytes_[kept_++] = static_cast<std::uint8_t>(crc >> 8 * i);
}

void RoceFrame::put_bth(std::uint8_t* at, const RoceFields& fields) {
  constexpr std::uint8_t default_partition_high = 0xff, backward_congestion = 0x40, asks = 0x80;
  at[0] = static_cast<std::uint8_t>(fields.opcode);
  at[2] = at[3] = default_partition_high;
  if (fields.opcode == RoceOpcode::congestion_notification) at[4] = backward_congestion;
  put_big(at + 5, fields.pair, 3);
  if (fields.asks) at[8] = asks;
  put_big(at + 9, static_cast<std::uint32_t>(fields.number), 3);
}

// Marks are set on the way: congestion experienced, and the IP checksum anew.
std::span<const std::uint8_t> RoceFrame::kept(bool marked) {
  if (marked) {
    bytes_[ip_at + 1] |= 3;
    put_big(&bytes_[ip_at + 10], 0, 2);
    put_big(&bytes_[ip_at + 10],
            checksum_of(sum_of(std::span(bytes_).subspan(ip_at, ip_header_size))), 2);
  }
  return std::span(bytes_).first(kept_);
}

}  // namespace orrery
