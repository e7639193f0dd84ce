#include "network/packet/packet_capture.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/check.h"

namespace orrery {
namespace {

constexpr std::uint32_t nanosecond_magic = 0xa1b2'3c4d;
constexpr std::uint32_t raw_ip = 101;
constexpr std::size_t ip_header = 20, least_tcp_header = 20, largest_tcp_header = 60;
constexpr std::uint8_t tcp = 6;

// The file's own fields: in the byte order that the reader recognises by the magic number.
void append_little(std::string& to, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to.push_back(static_cast<char>(value >> 8 * i & 0xff));
}

void put_big(std::uint8_t* at, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) at[i] = static_cast<std::uint8_t>(value >> 8 * (bytes - 1 - i));
}

// RFC 1071, not yet folded and inverted. REQUIRES: an even number of bytes.
std::uint32_t sum_of(std::span<const std::uint8_t> bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 2)
    sum += std::uint32_t{bytes[i]} << 8 | bytes[i + 1];
  return sum;
}

std::uint32_t checksum(std::uint32_t sum) {
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}

std::uint32_t address(NodeId node) {
  return 10U << 24 | (static_cast<std::uint32_t>(node.value) & 0xff'ffff);
}

// RFC 791. Not fragmented, so it needs no identification (RFC 6864).
void put_ip_header(std::uint8_t* at, const CapturedPacket& packet, std::uint32_t length) {
  const std::uint32_t ecn = packet.marked ? 3 : packet.can_be_marked ? 2 : 0;  // RFC 3168
  put_big(at, 0x4500 | ecn, 2);
  put_big(at + 2, length, 2);
  put_big(at + 6, 0x4000, 2);  // do not fragment
  at[8] = 64;                  // time to live
  at[9] = tcp;
  put_big(at + 12, address(packet.from), 4);
  put_big(at + 16, address(packet.to), 4);
  put_big(at + 10, checksum(sum_of({at, ip_header})), 2);
}

// RFC 9293; the data, all zeros, adds nothing to the checksum but its length.
void put_tcp_header(std::uint8_t* at, const CapturedPacket& packet) {
  const std::size_t size = packet.tcp_header.size();
  std::copy(packet.tcp_header.begin(), packet.tcp_header.end(), at);
  put_big(at, packet.from_port, 2);
  put_big(at + 2, packet.to_port, 2);
  put_big(at + 16, 0, 2);
  std::array<std::uint8_t, 12> pseudo{};
  put_big(pseudo.data(), address(packet.from), 4);
  put_big(&pseudo[4], address(packet.to), 4);
  pseudo[9] = tcp;
  put_big(&pseudo[10], static_cast<std::uint32_t>(size) + packet.data_bytes, 2);
  put_big(at + 16, checksum(sum_of(pseudo) + sum_of({at, size})), 2);
}

}  // namespace

PacketCapture::PacketCapture(CaptureSpec spec, std::int64_t limit)
    : spec_(std::move(spec)), limit_(static_cast<std::uint64_t>(limit)) {
  append_little(pcap_, nanosecond_magic, 4);
  append_little(pcap_, 2, 2);  // version 2.4
  append_little(pcap_, 4, 2);
  append_little(pcap_, 0, 4);
  append_little(pcap_, 0, 4);
  append_little(pcap_, 65'535, 4);  // of a packet, at most
  append_little(pcap_, raw_ip, 4);
}

bool PacketCapture::wants(LinkIndex link, NodeId from, NodeId to) const {
  if (std::find(spec_.links.begin(), spec_.links.end(), link) == spec_.links.end()) return false;
  if (!spec_.between) return true;
  const auto [a, b] = *spec_.between;
  return (from == a && to == b) || (from == b && to == a);
}

void PacketCapture::add(Time at, const CapturedPacket& packet) {
  const std::size_t tcp_size = packet.tcp_header.size();
  CHECK(tcp_size >= least_tcp_header && tcp_size <= largest_tcp_header && tcp_size % 4 == 0,
        "a TCP header of {} B", tcp_size);
  if (packets_ == limit_) {
    ++left_out_;
    return;
  }
  ++packets_;
  std::array<std::uint8_t, ip_header + largest_tcp_header> headers{};
  const auto kept = static_cast<std::uint32_t>(ip_header + tcp_size);
  put_ip_header(headers.data(), packet, kept + packet.data_bytes);
  put_tcp_header(&headers[ip_header], packet);
  const std::int64_t nanoseconds = at.since_start.value / 1'000;
  append_little(pcap_, static_cast<std::uint32_t>(nanoseconds / 1'000'000'000), 4);
  append_little(pcap_, static_cast<std::uint32_t>(nanoseconds % 1'000'000'000), 4);
  append_little(pcap_, kept, 4);
  append_little(pcap_, kept + packet.data_bytes, 4);
  pcap_.append(headers.begin(), headers.begin() + kept);
}

}  // namespace orrery
