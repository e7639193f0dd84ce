#include "network/packet/packet_capture.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/check.h"
#include "network/packet/captured_headers.h"

namespace orrery {
namespace {

constexpr std::uint32_t nanosecond_magic = 0xa1b2'3c4d;
constexpr std::size_t least_tcp_header = 20, largest_tcp_header = 60;
constexpr std::uint8_t tcp = 6;

// The file's own fields: in the byte order that the reader recognises by the magic number.
void append_little(std::string& to, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to.push_back(static_cast<char>(value >> 8 * i & 0xff));
}

// RFC 9293; the data, all zeros, adds nothing to the checksum but its length.
void put_tcp_header(std::uint8_t* at, const CapturedPacket& packet) {
  const std::size_t size = packet.tcp_header.size();
  std::copy(packet.tcp_header.begin(), packet.tcp_header.end(), at);
  put_big(at, packet.from_port, 2);
  put_big(at + 2, packet.to_port, 2);
  put_big(at + 16, 0, 2);
  std::array<std::uint8_t, 12> pseudo{};
  put_big(pseudo.data(), address_of(packet.from), 4);
  put_big(&pseudo[4], address_of(packet.to), 4);
  pseudo[9] = tcp;
  put_big(&pseudo[10], static_cast<std::uint32_t>(size) + packet.data_bytes, 2);
  put_big(at + 16, checksum_of(sum_of(pseudo) + sum_of({at, size})), 2);
}

}  // namespace

PacketCapture::PacketCapture(CaptureSpec spec, std::int64_t limit, CapturedLink link)
    : spec_(std::move(spec)), limit_(static_cast<std::uint64_t>(limit)) {
  append_little(pcap_, nanosecond_magic, 4);
  append_little(pcap_, 2, 2);  // version 2.4
  append_little(pcap_, 4, 2);
  append_little(pcap_, 0, 4);
  append_little(pcap_, 0, 4);
  append_little(pcap_, 65'535, 4);  // of a packet, at most
  append_little(pcap_, static_cast<std::uint32_t>(link), 4);
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
  std::array<std::uint8_t, ip_header_size + largest_tcp_header> headers{};
  const std::size_t kept = ip_header_size + tcp_size;
  const std::uint32_t length = static_cast<std::uint32_t>(kept) + packet.data_bytes;
  put_ip_header(headers.data(), {.from = packet.from,
                                 .to = packet.to,
                                 .protocol = tcp,
                                 .can_be_marked = packet.can_be_marked,
                                 .marked = packet.marked,
                                 .length = length});
  put_tcp_header(&headers[ip_header_size], packet);
  add(at, std::span(headers).first(kept), length);
}

void PacketCapture::add(Time at, std::span<const std::uint8_t> kept, std::uint32_t length) {
  if (packets_ == limit_) {
    ++left_out_;
    return;
  }
  ++packets_;
  const std::int64_t nanoseconds = at.since_start.value / 1'000;
  append_little(pcap_, static_cast<std::uint32_t>(nanoseconds / 1'000'000'000), 4);
  append_little(pcap_, static_cast<std::uint32_t>(nanoseconds % 1'000'000'000), 4);
  append_little(pcap_, static_cast<std::uint32_t>(kept.size()), 4);
  append_little(pcap_, length, 4);
  pcap_.append(kept.begin(), kept.end());
}

}  // namespace orrery
