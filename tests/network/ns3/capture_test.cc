// Captures: the file, read back, says what crossed the link and when.
#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>

#include "network/ns3/ns3_backend.h"
#include "tests/network/message_log.h"
#include "tests/network/pcap_file.h"

namespace orrery {
namespace {

using test::MessageLog;
using test::PcapPacket;

constexpr unsigned address_of_npu_0 = 10U << 24;

// On a star of 4 at 100 Gb/s and 0.5 us a link; NPU n is node n, the switch node 4.
struct CapturedRun {
  explicit CapturedRun(const NetworkSpec& network)
      : topology({{{"", LevelKind::switched, 4, gigabits_per_second(100), nanoseconds(500),
                    Scope::scale_out}}}),
        backend(make_ns3_backend(queue, topology, network)),
        log(queue) {}
  std::vector<PcapPacket> captured(std::size_t number = 0) {
    return test::read_pcap(backend->statistics().packets->captures.at(number).pcap);
  }

  EventQueue queue;
  Topology topology;
  std::unique_ptr<NetworkBackend> backend;
  MessageLog log;
};

LinkIndex link_between(std::int32_t from, std::int32_t to) {
  const Topology star({{{"", LevelKind::switched, 4, gigabits_per_second(100), nanoseconds(500),
                         Scope::scale_out}}});
  for (LinkIndex i = 0; i < star.links().size(); ++i)
    if (star.links()[i].from == NodeId{from} && star.links()[i].to == NodeId{to}) return i;
  FAIL("no link " << from << " -> " << to);
  return 0;
}

CaptureSpec both_ways(std::int32_t npu) {
  return {"npu - switch", {link_between(npu, 4), link_between(4, npu)}, {}};
}

TEST_CASE("a capture has each packet with its time, addresses and length") {
  // 20,000 B are segments of 8,960, 8,960 and 2,080 B: 9,038 B on the wire, 723.04 ns, each of the
  // first two. TCP waits a picosecond before it sends: the first starts at 0.001, the second at
  // 723.041, the third at 1,446.081 ns on the NPU's link, and the switch passes each on when it has
  // it, 723.04 + 500 ns later for the full ones: 1,223.041, and 1,946.081 ns, and the third
  // (2,158 B: 172.64 ns) behind the second: at 2,669.121 ns.
  NetworkSpec network;
  network.captures = {both_ways(0), both_ways(1)};
  CapturedRun run(network);
  run.log.send(*run.backend, 0, 1, bytes(20'000));
  run.queue.run();

  const std::vector<PcapPacket> at_sender = run.captured(0);
  std::vector<PcapPacket> sent, answers;
  for (const PcapPacket& packet : at_sender)
    (packet.source() == address_of_npu_0 ? sent : answers).push_back(packet);
  REQUIRE(sent.size() == 3);
  const std::int64_t times[] = {0, 723, 1'446};
  const unsigned data[] = {8'960, 8'960, 2'080};
  unsigned sequence = sent[0].sequence();
  for (std::size_t i = 0; i < 3; ++i) {
    INFO("packet " << i);
    CHECK(sent[i].at_ns == times[i]);
    CHECK(sent[i].length == 40 + data[i]);
    CHECK(sent[i].data() == data[i]);
    CHECK(sent[i].target() == address_of_npu_0 + 1);
    CHECK(sent[i].sequence() == sequence);
    CHECK(sent[i].ip_sum() == 0xffff);
    CHECK(sent[i].tcp_sum() == 0xffff);
    sequence += data[i];
  }
  REQUIRE_FALSE(answers.empty());
  CHECK(answers.back().acknowledged() == sequence);
  CHECK(answers.back().data() == 0);
  CHECK(std::is_sorted(at_sender.begin(), at_sender.end(),
                       [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; }));

  const std::vector<PcapPacket> at_receiver = run.captured(1);
  REQUIRE(at_receiver.size() == at_sender.size());
  const std::int64_t later[] = {1'223, 1'946, 2'669};
  for (std::size_t i = 0, n = 0; i < at_receiver.size(); ++i)
    if (at_receiver[i].source() == address_of_npu_0) CHECK(at_receiver[i].at_ns == later[n++]);
}

TEST_CASE("all bytes of a message with losses are in a capture, and what was lost again") {
  NetworkSpec network;
  network.captures = {{"up", {link_between(0, 4)}, {}}, {"down", {link_between(4, 1)}, {}}};
  network.switches.loss = 0.01;
  network.seed = 7;
  CapturedRun run(network);
  run.log.send(*run.backend, 0, 1, bytes(3'000'000));
  run.queue.run();
  const PacketStatistics packets = *run.backend->statistics().packets;
  REQUIRE(packets.retransmissions > 0);
  const auto count_of = [&](std::size_t capture, LinkIndex link) {
    const std::vector<PcapPacket> all = run.captured(capture);
    CHECK(all.size() == packets.links[link].packets);
    std::int64_t wire = 0, data = 0;
    for (const PcapPacket& packet : all) {
      wire += packet.length + 38;
      data += packet.data();
    }
    CHECK(bytes(wire) == packets.links[link].sent);  // counted elsewhere, by the port
    return data;
  };
  CHECK(count_of(0, link_between(0, 4)) > 3'000'000);   // some twice
  CHECK(count_of(1, link_between(4, 1)) >= 3'000'000);  // all arrived
}

TEST_CASE("a capture of two NPUs leaves out what others send, and a full one is counted") {
  NetworkSpec network;
  CaptureSpec pair = both_ways(1);
  pair.between = {NodeId{1}, NodeId{2}};
  network.captures = {pair, both_ways(1)};
  network.capture_limit = 50;
  CapturedRun run(network);
  run.log.send(*run.backend, 0, 1, bytes(1'000'000));
  run.log.send(*run.backend, 2, 1, bytes(50'000));
  run.queue.run();
  const std::vector<PcapPacket> of_pair = run.captured(0);
  std::int64_t data = 0;
  for (const PcapPacket& packet : of_pair) {
    CHECK(std::min(packet.source(), packet.target()) == address_of_npu_0 + 1);
    CHECK(std::max(packet.source(), packet.target()) == address_of_npu_0 + 2);
    data += packet.data();
  }
  CHECK(data == 50'000);

  const PacketStatistics packets = *run.backend->statistics().packets;
  CHECK(packets.captures[0].left_out == 0);
  CHECK(packets.captures[1].packets == 50);
  CHECK(packets.captures[1].packets + packets.captures[1].left_out ==
        packets.links[link_between(4, 1)].packets + packets.links[link_between(1, 4)].packets);
  CHECK(run.captured(1).size() == 50);
}

TEST_CASE("a capture shows marks and handshakes") {
  // DCTCP's step at 20 kB: two senders to one fill the queue, packets are marked. Senders say that
  // they can be (ECT 2), the switch that it was congested (CE 3).
  NetworkSpec network;
  network.captures = {{"down", {link_between(4, 1)}, {}}};
  network.transport.congestion_control = "dctcp";
  network.transport.ecn = true;
  network.transport.connect = ConnectPolicy::first_message;
  network.switches.queue = QueueKind::red;
  network.switches.red_minimum = network.switches.red_maximum = bytes(20'000);
  CapturedRun run(network);
  run.log.send(*run.backend, 0, 1, bytes(1'000'000));
  run.log.send(*run.backend, 2, 1, bytes(1'000'000));
  run.queue.run();
  const std::vector<PcapPacket> all = run.captured();
  const auto with_ecn = [&](unsigned ecn) {
    return std::count_if(all.begin(), all.end(), [&](const auto& p) { return p.ecn() == ecn; });
  };
  CHECK(with_ecn(2) > 0);
  CHECK(static_cast<std::uint64_t>(with_ecn(3)) == run.backend->statistics().packets->marks);
  const auto is_syn = [](const PcapPacket& packet) { return (packet.kept.at(33) & 2) != 0; };
  CHECK(std::count_if(all.begin(), all.end(), is_syn) == 2);
  CHECK(std::count_if(all.begin(), all.end(), [](const auto& p) {
          return p.tcp_sum() != 0xffff || p.ip_sum() != 0xffff;
        }) == 0);
}

TEST_CASE("a capture changes nothing") {
  const auto end_of = [](bool with) {
    NetworkSpec network;
    if (with) network.captures = {both_ways(0)};
    CapturedRun run(network);
    run.log.send(*run.backend, 0, 1, bytes(3'000'000));
    run.log.send(*run.backend, 1, 0, bytes(3'000'000));
    run.queue.run();
    return std::pair(run.log.delivered_at, run.queue.executed());
  };
  CHECK(end_of(true) == end_of(false));
}

}  // namespace
}  // namespace orrery
