// A reader of pcap files for tests, written from the format's description and not from the writer:
// every multi-byte field is taken apart here by hand.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace orrery::test {

struct PcapPacket {
  std::int64_t at_ns = 0;
  std::uint32_t length = 0;    // of the IP packet on the link
  std::vector<unsigned> kept;  // bytes of it in the file

  unsigned big(std::size_t at, int bytes) const {
    unsigned value = 0;
    for (int i = 0; i < bytes; ++i) value = value * 256 + kept.at(at + static_cast<std::size_t>(i));
    return value;
  }
  unsigned source() const { return big(12, 4); }
  unsigned target() const { return big(16, 4); }
  unsigned ecn() const { return kept.at(1) & 3; }
  unsigned sequence() const { return big(24, 4); }
  unsigned acknowledged() const { return big(28, 4); }
  unsigned data() const { return length - 20 - kept.at(32) / 16 * 4; }

  // The sum over a header that holds its own checksum is 0xffff, RFC 1071.
  static unsigned folded(unsigned sum) {
    while (sum > 0xffff) sum = sum / 0x10000 + sum % 0x10000;
    return sum;
  }
  unsigned words(std::size_t from, std::size_t to) const {
    unsigned sum = 0;
    for (std::size_t at = from; at < to; at += 2) sum += big(at, 2);
    return sum;
  }
  unsigned ip_sum() const { return folded(words(0, 20)); }
  unsigned tcp_sum() const {  // pseudo-header: addresses, protocol, length; then all of TCP
    return folded(words(12, 20) + 6 + (length - 20) + words(20, kept.size()));
  }
};

inline std::vector<PcapPacket> read_pcap(const std::string& file, unsigned link_type = 101) {
  std::size_t at = 0;
  const auto byte = [&] {
    return static_cast<unsigned>(static_cast<unsigned char>(file.at(at++)));
  };
  const auto little = [&](int bytes) {
    unsigned value = 0;
    for (int i = 0; i < bytes; ++i) value += byte() << 8 * i;
    return value;
  };
  REQUIRE(little(4) == 0xa1b23c4d);  // nanoseconds
  REQUIRE(little(2) == 2);
  REQUIRE(little(2) == 4);
  at += 8;
  REQUIRE(little(4) == 65535);
  REQUIRE(little(4) == link_type);  // LINKTYPE_RAW is 101, LINKTYPE_ETHERNET 1
  std::vector<PcapPacket> packets;
  while (at < file.size()) {
    PcapPacket packet;
    packet.at_ns = std::int64_t{little(4)} * 1'000'000'000;
    packet.at_ns += little(4);
    const unsigned kept = little(4);
    packet.length = little(4);
    for (unsigned i = 0; i < kept; ++i) packet.kept.push_back(byte());
    packets.push_back(packet);
  }
  return packets;
}

}  // namespace orrery::test
