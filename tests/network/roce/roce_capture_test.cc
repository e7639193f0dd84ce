// Captures of RoCE, read back by the offsets of the formats: Ethernet 0 to 13, IP 14 to 33, UDP 34
// to 41, BTH 42 to 53, then RETH (16 bytes) or AETH (4 bytes).
#include <catch2/catch.hpp>

#include <algorithm>

#include "tests/network/network_under_test.h"
#include "tests/network/pcap_file.h"

namespace orrery {
namespace {

using test::NetworkUnderTest;
using test::PcapPacket;

constexpr unsigned npu_0 = 10U << 24;

TopologySpec star(std::int32_t npus) {
  return {{{"", LevelKind::switched, npus, gigabits_per_second(100), nanoseconds(500),
            Scope::scale_out}}};
}

LinkIndex link_between(const TopologySpec& shape, std::int32_t from, std::int32_t to) {
  const Topology topology(shape);
  for (LinkIndex i = 0; i < topology.links().size(); ++i)
    if (topology.links()[i].from == NodeId{from} && topology.links()[i].to == NodeId{to}) return i;
  FAIL("no link " << from << " -> " << to);
  return 0;
}

// Captures what crosses the link between an NPU and its switch, both ways.
NetworkSpec captured(const TopologySpec& shape, std::int32_t npu, const std::string& control) {
  NetworkSpec spec;
  spec.transport.kind = TransportKind::roce;
  spec.transport.congestion_control = control;
  const std::int32_t node = shape.levels[0].size;  // the switch
  spec.captures = {
      {"npu - switch", {link_between(shape, npu, node), link_between(shape, node, npu)}, {}}};
  return spec;
}

std::vector<PcapPacket> packets_of(const NetworkUnderTest& net) {
  const NetworkStatistics statistics = net.network->statistics();
  return test::read_pcap(statistics.packets->captures.at(0).pcap, 1);
}

// CRC-32 of IEEE 802.3 from its definition: division by the polynomial, most significant bit first,
// of the bits in the order in which they are sent (the least significant of each byte first).
unsigned crc_of(const std::vector<unsigned>& bytes) {
  unsigned rest = 0xffff'ffff;
  for (const unsigned byte : bytes)
    for (int bit = 0; bit < 8; ++bit) {
      const bool out = (rest >> 31 != 0) != ((byte >> bit & 1) != 0);
      rest = rest << 1 ^ (out ? 0x04c1'1db7U : 0);
    }
  unsigned reflected = 0;
  for (int bit = 0; bit < 32; ++bit) reflected |= (rest >> bit & 1) << (31 - bit);
  return ~reflected;
}

// ICRC: ones for the local route header of InfiniBand, 8 bytes, and for what changes on the way.
bool icrc_is_right(const PcapPacket& packet) {
  std::vector<unsigned> bytes(8, 0xff);
  for (std::size_t at = 14; at + 4 < packet.kept.size(); ++at) {
    const bool changes = at == 15 || at == 22 || at == 24 || at == 25 ||  // IP: service, TTL, sum
                         at == 40 || at == 41 || at == 46;  // UDP: sum; BTH: FECN, BECN
    bytes.push_back(changes ? 0xff : packet.kept[at]);
  }
  const std::size_t end = packet.kept.size();
  const unsigned sent = packet.kept[end - 4] | packet.kept[end - 3] << 8 |
                        packet.kept[end - 2] << 16 | packet.kept[end - 1] << 24;
  return sent == crc_of(bytes);
}

TEST_CASE("the checksum of this test is that of Ethernet") {
  std::vector<unsigned> digits;
  for (const char digit : std::string("123456789")) digits.push_back(static_cast<unsigned>(digit));
  CHECK(crc_of(digits) == 0xcbf4'3926);  // the usual check value
}

TEST_CASE("a write and its acknowledgements are in the file, field by field") {
  // 10,000 B are 4,096, 4,096 and 1,808 B: 4,194, 4,178 and 1,890 B on the wire, of which preamble,
  // checksum and gap of Ethernet (24 B) are not captured. They start at 0, 335.52 and 669.76 ns.
  // Each is at NPU 1 after two links (500 ns each); an acknowledgement of 86 B (6.88 ns) comes back
  // to the switch 506.88 ns later: the first one at 1,671.04 + 506.88 = 2,177.92 ns.
  NetworkUnderTest net("packet", star(2), captured(star(2), 0, "none"));
  net.send(0, 1, 10'000);
  net.queue.run();
  std::vector<PcapPacket> data, answers;
  for (const PcapPacket& packet : packets_of(net))
    (packet.big(26, 4) == npu_0 ? data : answers).push_back(packet);
  REQUIRE(data.size() == 3);
  REQUIRE(answers.size() == 3);
  const std::int64_t starts[] = {0, 335, 669};
  const unsigned lengths[] = {4'194 - 24, 4'178 - 24, 1'890 - 24};
  const unsigned opcodes[] = {0x06, 0x07, 0x08};  // RDMA WRITE first, middle, last
  for (std::size_t i = 0; i < 3; ++i) {
    const PcapPacket& packet = data[i];
    CHECK(packet.at_ns == starts[i]);
    CHECK(packet.length == lengths[i]);
    CHECK(packet.kept.size() == (i == 0 ? 70 : 54));
    CHECK(packet.big(12, 2) == 0x0800);
    CHECK(packet.kept.at(14) == 0x45);
    CHECK(packet.kept.at(15) == 24 * 4 + 2);  // priority 3 as class selector 3; ECN capable
    CHECK(packet.big(16, 2) == lengths[i] - 14);
    CHECK(packet.kept.at(23) == 17);
    CHECK(PcapPacket::folded(packet.words(14, 34)) == 0xffff);
    CHECK(packet.big(30, 4) == npu_0 + 1);
    CHECK(packet.big(34, 2) == 49'152);
    CHECK(packet.big(36, 2) == 4'791);
    CHECK(packet.big(38, 2) == lengths[i] - 34);
    CHECK(packet.big(40, 2) == 0);
    CHECK(packet.kept.at(42) == opcodes[i]);
    CHECK(packet.big(44, 2) == 0xffff);
    CHECK(packet.big(47, 3) == 0);
    CHECK(packet.kept.at(50) == 0x80);
    CHECK(packet.big(51, 3) == i);
    CHECK(answers[i].length == 86 - 24);
    CHECK(answers[i].kept.size() == 62);
    CHECK(answers[i].big(26, 4) == npu_0 + 1);
    CHECK(answers[i].kept.at(15) == 48 * 4);  // priority 6; nobody marks it
    CHECK(answers[i].kept.at(42) == 0x11);
    CHECK(answers[i].big(51, 3) == i);
    CHECK(answers[i].kept.at(54) == 0x1f);
    CHECK(icrc_is_right(answers[i]));
  }
  CHECK(data[0].big(66, 4) == 10'000);  // RETH: length of the write
  CHECK(answers[0].at_ns == 2'177);
}

TEST_CASE("marks, notifications and gaps are in the file") {
  // 7 to 1: the switch marks. One of 50 packets to NPU 0 is lost.
  NetworkSpec spec = captured(star(8), 0, "dcqcn");
  spec.transport.roce.window.kind = PairWindow::Kind::none;
  spec.switches.lossy_links = {{link_between(star(8), 8, 0), 0.02}};
  NetworkUnderTest net("packet", star(8), spec);
  for (std::int32_t from = 1; from < 8; ++from) net.send(from, 0, 1'000'000);
  net.queue.run();
  std::size_t marked = 0, notifications = 0, gaps = 0, data = 0;
  std::vector<unsigned> arrived(8);  // in order, by source
  for (const PcapPacket& packet : packets_of(net)) {
    CHECK(PcapPacket::folded(packet.words(14, 34)) == 0xffff);
    const unsigned opcode = packet.kept.at(42);
    if (opcode <= 0x0a) {
      ++data;
      marked += (packet.kept.at(15) & 3) == 3 ? 1 : 0;
      unsigned& next = arrived.at(packet.big(26, 4) - npu_0);
      if (packet.big(51, 3) == next) ++next;
      continue;
    }
    CHECK(icrc_is_right(packet));
    if (opcode == 0x81) {
      ++notifications;
      CHECK(packet.length == 98 - 24);
      CHECK(packet.kept.at(46) == 0x40);  // BECN
      for (std::size_t at = 54; at < 70; ++at) CHECK(packet.kept.at(at) == 0);
    } else if (packet.kept.at(54) == 0x60) {  // NAK: PSN sequence error, and what is expected
      ++gaps;
      CHECK(packet.big(51, 3) == arrived.at(packet.big(30, 4) - npu_0));
    }
  }
  const PacketStatistics packets = *net.network->statistics().packets;
  CHECK(notifications == packets.notifications);
  CHECK(gaps == packets.refusals);
  CHECK(gaps > 10);
  CHECK(marked > 100);
  CHECK(data > 7 * 245);
}

}  // namespace
}  // namespace orrery
