// A random permutation on a fat tree: what the fullest link carries decides when the last ends.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/random.h"
#include "network/topology/builders/tree.h"
#include "tests/network/network_under_test.h"

namespace orrery {
namespace {

constexpr std::int64_t size = 2'000'000, payload = 4'000;
constexpr std::int64_t wire = size + 82 * (size / payload) + 16;  // of a flow

// Three tiers of switches with k ports, k^3 / 4 hosts, 100 Gb/s and 1 us everywhere.
TopologySpec fat_tree(std::int32_t k) {
  const Wire cable{gigabits_per_second(100), microseconds(1)};
  TreeSpec tree;
  tree.tiers = {
      {"leaf", k / 2, k / 2, cable}, {"spine", k / 2, k / 2, cable}, {"core", k, 0, cable}};
  return build_tree(tree);
}

// No host sends to itself.
std::vector<std::int32_t> permutation(std::int32_t hosts, std::uint64_t seed) {
  RandomStream random(seed, "permutation");
  std::vector<std::int32_t> to(static_cast<std::size_t>(hosts));
  std::iota(to.begin(), to.end(), 0);
  for (std::size_t i = to.size(); --i > 0;) std::swap(to[i], to[random.uniform_int(i)]);  // Sattolo
  return to;
}

// Without control, window and losses, c flows that share a link end c S w / (m B) after they met: c
// x 163.3 us, and the path of six links: 6 us + 5 x 0.327 us. What the acknowledgements of other
// flows add on that link (86 B for each 4,082) and the meeting of flows on further links are within
// 3 %. c is counted from the bytes that each link carried: acknowledgements are less than a quarter
// of a flow.
void check_permutations(std::int32_t k, std::uint64_t seeds) {
  const std::int32_t hosts = k * k * k / 4;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    NetworkSpec spec;
    spec.seed = spec.routing.seed = seed;
    spec.transport.kind = TransportKind::roce;
    spec.transport.congestion_control = "none";
    spec.transport.roce.payload = bytes(payload);
    spec.transport.roce.window.kind = PairWindow::Kind::none;
    spec.switches.pfc.enabled = false;
    spec.switches.buffer = bytes(10'000'000'000);
    test::NetworkUnderTest net("packet", fat_tree(k), spec);
    const std::vector<std::int32_t> to = permutation(hosts, seed);
    for (std::int32_t from = 0; from < hosts; ++from) net.send(from, to[from], size);
    net.queue.run();
    const PacketStatistics packets = *net.network->statistics().packets;
    CHECK(packets.drops == 0);
    std::int64_t most = 0;
    for (const LinkQueueStatistics& link : packets.links) most = std::max(most, link.sent.value);
    const std::int64_t flows = most / wire;
    Time last;
    for (const Time at : net.log.delivered_at) last = std::max(last, at);
    const double expected = static_cast<double>(flows * wire) * 80e-6 + 6 + 5 * 4'082 * 80e-6;
    CAPTURE(seed, flows);
    CHECK(static_cast<double>(last.since_start.value) * 1e-6 == Approx(expected).epsilon(0.03));
  }
}

TEST_CASE("a permutation on a fat tree ends when its fullest link has carried its flows") {
  check_permutations(8, 12);
}

TEST_CASE("a permutation of 1,024 hosts ends when its fullest link has carried its flows",
          "[slow]") {
  check_permutations(16, 12);
}

}  // namespace
}  // namespace orrery
