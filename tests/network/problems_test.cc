// What is wrong with a network, without a file.
#include "network/problems.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "network/backends.h"
#include "network/packet/transports.h"
#include "network/topology/builders/tree.h"
#include "tests/problem_keys.h"

using namespace orrery;
using orrery::test::keys;

namespace {

LevelSpec level(const char* name, std::int32_t size) {
  return {name, LevelKind::switched, size, gigabytes_per_second(1), microseconds(1)};
}

TopologySpec two_levels() { return {{level("node", 4), level("fabric", 2)}}; }

}  // namespace

TEST_CASE("platforms that are wrong name the level and its key") {
  CHECK(keys(problems_of(two_levels())) == "");
  CHECK(keys(problems_of(TopologySpec{})) == "levels");
  TopologySpec topology = two_levels();
  topology.levels[1].size = 1;
  topology.levels[1].bandwidth = {};
  CHECK(keys(problems_of(topology)) == "levels[1].size levels[1].bandwidth");
  topology = two_levels();
  topology.levels[0].kind = LevelKind::ring;
  topology.levels[0].in_network_reduction = true;
  CHECK(keys(problems_of(topology)) == "levels[0].in_network_reduction");
  topology = two_levels();
  topology.levels[1].name = "node";
  CHECK(keys(problems_of(topology)) == "levels[1]");
  // One for each level that repeats a name, not for each pair.
  topology.levels.resize(4, topology.levels[0]);
  for (LevelSpec& level : topology.levels) level.name = "fabric";
  CHECK(keys(problems_of(topology)) == "levels[1] levels[2] levels[3]");
  topology = two_levels();
  topology.levels[1].name.assign(1, '7');
  CHECK(keys(problems_of(topology)) == "levels[1]");
}

// 2^10 NPUs that each have 2^10 - 1 links are 2^20 links, 2^14 NPUs have 2^28, more than 2^26.
TEST_CASE("platforms that are too large") {
  TopologySpec topology{{level("all", 1 << 10)}};
  topology.levels[0].kind = LevelKind::fully_connected;
  CHECK(keys(problems_of(topology)) == "");
  topology.levels[0].size = 1 << 14;
  CHECK(keys(problems_of(topology)).starts_with("levels"));
}

TEST_CASE("windows and buffers hold what is sent at once") {
  TransportSpec transport;
  CHECK(keys(problems_of(transport)) == "");
  transport.window = bytes(8'000);  // of an MTU of 9,000
  transport.receive_window = bytes(8'000);
  CHECK(keys(problems_of(transport)) == "window receive_window");
  SwitchSpec switches;
  const Bytes packet = bytes(9'038);
  switches.buffer = bytes(9'037);
  CHECK(keys(problems_of(switches, packet)) == "buffer");
  switches.buffer = bytes(9'038);
  CHECK(keys(problems_of(switches, packet)) == "");
  switches.red_maximum = bytes(1);
  CHECK(keys(problems_of(switches, packet)) == "red_maximum");
  CHECK(keys(problems_of(CreditSpec{bytes(2), bytes(1)})) == "buffer");
}

TEST_CASE("the points of an efficiency curve ascend") {
  FluidSpec fluid;
  fluid.efficiency = {{bytes(10), {1, 2}}, {bytes(10), {1, 1}}};
  CHECK(keys(problems_of(fluid)) == "efficiency[1]");
  fluid.efficiency = {{bytes(10), {0, 1}}};
  CHECK(keys(problems_of(fluid)) == "efficiency[0]");
}

TEST_CASE("a network gathers the problems of its parts") {
  NetworkSpec network;
  CHECK(keys(problems_of(network, two_levels())) == "");
  network.backend = "carrier pigeon";
  network.credit.buffer = bytes(1);
  network.transport.watched = {{0, 8}};                                         // of NPUs 0 to 7
  CHECK(keys(problems_of(network, two_levels())) == "backend credit.buffer ");  // and of the whole
}

TEST_CASE("a transport that this build lacks is named by the key that asks for it") {
  NetworkSpec network;
  network.backend = "packet";
  if (find_backend(network.backend) == nullptr) return;
  for (const TransportEntry& entry : packet_transports()) {
    network.transport.kind = entry.kind;
    CHECK(keys(problems_of(network, two_levels())).empty() == (entry.make != nullptr));
  }
}

// Eight ports of 1 GB/s and 1 us with a reserve of 4,000 B and headroom for packets of 4,194 B
// each: 2 r L = 2,000 B, 3 x 4,194 B, a frame of 84 B, and 60 quanta of 64 B (up to 10 Gb/s):
// 18,506 B. 8 x 22,506 B and a packet are 184,242 B.
TEST_CASE("a buffer holds reserve and headroom of all ports, and a packet") {
  TopologySpec topology{{level("fabric", 8)}};
  NetworkSpec network;
  network.backend = "packet";
  network.transport.kind = TransportKind::roce;
  const auto wrong = [&] { return keys(problems_of_packets(network, topology)); };
  network.given = {{"network.switch.buffer", SettingGroup::switch_buffer}};
  network.switches.buffer = bytes(184'242);
  CHECK(wrong() == "");
  network.switches.buffer = bytes(184'241);
  CHECK(wrong() == "switch.buffer");
  network.given.clear();  // nobody gave it: headroom is beside it
  CHECK(wrong() == "");
  network.levels = {{bytes(184'241), {}}};  // of the level
  CHECK(problems_of_packets(network, topology).size() == 1);
}

// The leaf has two ports of 1 GB/s and 1 us to servers and one to the spine: 3 x 22,506 B and a
// packet of 4,194 B, as above, are 71,712 B. The switch inside each server has four of 100 GB/s,
// and needs more as soon as packets pass it.
TEST_CASE("a switch that no packet passes needs no buffer") {
  const Wire inside{gigabytes_per_second(100), microseconds(1)},
      outside{gigabytes_per_second(1), microseconds(1)};
  const NodeSpec server{.npus = 4,
                        .inside = NodeInside::switched,
                        .link = inside,
                        .nics = 1,
                        .bus = outside,
                        .affinity = {}};
  LeafSpineSpec leaf;
  leaf.node = server;
  leaf.leaves = leaf.spines.emplace(1);
  leaf.plugs = 2;
  leaf.wire = outside;
  const TopologySpec topology = build_leaf_spine(leaf);
  NetworkSpec network;
  network.backend = "packet";
  network.transport.kind = TransportKind::roce;
  network.given = {{"network.switch.buffer", SettingGroup::switch_buffer}};
  const auto wrong_with = [&](std::int64_t buffer) {
    network.switches.buffer = bytes(buffer);
    const SpecProblems problems = problems_of_packets(network, topology);
    return problems.empty() ? "" : problems.front().what.substr(0, problems.front().what.find(' '));
  };
  CHECK(wrong_with(71'712) == "");
  CHECK(wrong_with(71'711) == "leaf0");
  network.levels = {{{}, TransportKind::roce}};
  CHECK(wrong_with(71'712) == "n0.switch");
}

TEST_CASE("the levels of a graph have one transport with packets") {
  if (packet_transports().size() < 2) return;
  TopologySpec topology = two_levels();
  topology.graph = std::make_shared<const GraphSpec>();
  NetworkSpec network;
  network.backend = "packet";
  network.levels = {{{}, packet_transports()[0].kind}, {{}, packet_transports()[1].kind}};
  CHECK(problems_of_packets(network, topology).size() == 1);
  network.levels[0].transport = TransportKind::ideal;
  CHECK(problems_of_packets(network, topology).empty());
  network.levels[0].transport = packet_transports()[1].kind;
  CHECK(problems_of_packets(network, topology).empty());
}

// A file may leave the backend open, or another one ignore transports: the mistake is the same.
TEST_CASE("a congestion control of another transport is wrong on every backend") {
  for (const BackendEntry& entry : builtin_backends()) {
    INFO(entry.name);
    NetworkSpec network;
    network.backend = entry.name;
    const auto wrong = [&](TransportKind kind, const char* control) {
      network.transport.kind = kind;
      network.transport.congestion_control = control;
      const std::string named = keys(problems_of_packets(network, two_levels()));
      return named.find("transport.congestion_control") != std::string::npos;
    };
    CHECK(wrong(TransportKind::tcp, "dcqcn"));
    CHECK(wrong(TransportKind::roce, "cubic"));
    CHECK_FALSE(wrong(TransportKind::tcp, "cubic"));
    CHECK_FALSE(wrong(TransportKind::roce, "dcqcn"));
    network.levels = {{{}, TransportKind::roce}};
    CHECK_FALSE(wrong(TransportKind::tcp, "dcqcn"));  // of a level
  }
}
