// NDP and UET where every host sends to another one: how full the links of fat trees, and of leaves
// and spines, are.
#include <catch2/catch.hpp>

#include <algorithm>
#include <initializer_list>
#include <numeric>

#include "core/base/random.h"
#include "network/topology/builders/tree.h"
#include "tests/network/network_under_test.h"
#include "tests/network/placed/placed_network.h"
#include "tests/network/routing/small_graphs.h"

namespace orrery {
namespace {

using test::last_of;
using test::NetworkUnderTest;
using test::placed;
using test::statistics_of;

std::vector<std::int32_t> permutation(std::int32_t hosts, std::uint64_t seed) {
  RandomStream random(seed, "permutation");
  std::vector<std::int32_t> to(static_cast<std::size_t>(hosts));
  std::iota(to.begin(), to.end(), 0);
  for (std::size_t i = to.size(); --i > 0;) std::swap(to[i], to[random.uniform_int(i)]);  // Sattolo
  return to;
}

Duration last_of_permutation(const TopologySpec& topology, const NetworkSpec& spec,
                             std::int64_t size) {
  NetworkUnderTest net("packet", topology, spec);
  const auto to = permutation(net.topology.npu_count(), 1);
  for (std::int32_t from = 0; from < net.topology.npu_count(); ++from)
    net.send(from, to[static_cast<std::size_t>(from)], size);
  net.queue.run();
  CHECK(statistics_of(net).timeouts == 0);
  return last_of(net);
}

TEST_CASE("a permutation of NDP on a fat tree: 128 hosts, 2 MB, at most 290 us") {
  // One flow alone takes 500 packets of 4,082 B, 163.3 us, and 6 us. A published simulator: 275 us.
  const Wire cable{gigabits_per_second(100), microseconds(1)};
  TreeSpec tree;
  tree.tiers = {{"leaf", 4, 4, cable}, {"spine", 4, 4, cable}, {"core", 8, 0, cable}};
  const Duration last =
      last_of_permutation(build_tree(tree), placed(TransportKind::ndp, 4'000), 2'000'000);
  CHECK(last >= nanoseconds(163'280));
  CHECK(last <= microseconds(290));
}

TEST_CASE("a permutation of NDP on a fat tree: 1,024 hosts, 2 MB, at most 290 us", "[slow]") {
  // As above with switches of 16 ports. A published simulator: 287 us.
  const Wire cable{gigabits_per_second(100), microseconds(1)};
  TreeSpec tree;
  tree.tiers = {{"leaf", 8, 8, cable}, {"spine", 8, 8, cable}, {"core", 16, 0, cable}};
  const Duration last =
      last_of_permutation(build_tree(tree), placed(TransportKind::ndp, 4'000), 2'000'000);
  CHECK(last >= nanoseconds(163'280));
  CHECK(last <= microseconds(290));
}

TEST_CASE("a long permutation of NDP: 9 kB, queues of 8, at least 90 % of the lines in use") {
  // SIGCOMM 2017, figure 14: a permutation matrix on a fat tree, for as long as one looks. Here 128
  // hosts from 1 to 3 ms, when all of the 50 MB flows are under way: a host's last link carries
  // 9,000-byte packets (8,918 B of data), headers of trimmed ones, and pulls and acknowledgements
  // of its own flow, 84 B each for each packet (1.9 %). What a sender has on its way stays what
  // it sent first. So one BDP of the idle path does not fill the lines once packets wait anywhere
  // (measured: 78 % of the lines, 77 % without answers); with 1.5 BDP it is 91 % (89 %).
  const Wire cable{gigabits_per_second(100), microseconds(1)};
  TreeSpec tree;
  tree.tiers = {{"leaf", 4, 4, cable}, {"spine", 4, 4, cable}, {"core", 8, 0, cable}};
  NetworkSpec spec = placed(TransportKind::ndp, 8'918);
  const double bdps = GENERATE(1.0, 1.5);
  spec.transport.ndp.initial_bdps = bdps;
  NetworkUnderTest net("packet", build_tree(tree), spec);
  const auto to = permutation(net.topology.npu_count(), 1);
  for (std::int32_t from = 0; from < net.topology.npu_count(); ++from)
    net.send(from, to[static_cast<std::size_t>(from)], 50'000'000);
  const auto data_so_far = [&] {  // whole packets that hosts received: trimmed ones have 84 B
    std::int64_t sum = 0;
    const PacketStatistics packets = statistics_of(net);
    for (LinkIndex link = 0; link < net.topology.links().size(); ++link)
      if (net.topology.links()[link].to.value < net.topology.npu_count())
        sum += packets.links[link].sent.value;
    return sum;
  };
  while (net.queue.now() < Time{milliseconds(1)}) net.queue.run_one();
  const std::int64_t before = data_so_far();
  while (net.queue.now() < Time{milliseconds(3)}) net.queue.run_one();
  const double used = static_cast<double>(data_so_far() - before) / (128 * 12.5e9 * 2e-3);
  CHECK((used >= 0.9) == (bdps > 1));
  CHECK(statistics_of(net).timeouts == 0);
}

TEST_CASE("a permutation of UET on leaves and spines keeps the limit of the reference simulator") {
  // 128 hosts at 200 Gb/s: at most 1.2 (8,000 S[MB] / B[Gb/s] + 9) us.
  const Wire cable{gigabits_per_second(200), microseconds(1)};
  TreeSpec tree;
  tree.tiers = {{"leaf", 16, 16, cable}, {"spine", 8, 0, cable}};
  for (const UetControl control : {UetControl::nscc, UetControl::rccc, UetControl::both})
    for (const std::int64_t megabytes : {1, 4}) {
      NetworkSpec spec = placed(TransportKind::uet);
      spec.transport.uet.control = control;
      const double limit = 1.2 * (40.0 * static_cast<double>(megabytes) + 9);
      INFO(name_of(control) << " " << megabytes << " MB");
      const Duration last = last_of_permutation(build_tree(tree), spec, megabytes * 1'000'000);
      CHECK(static_cast<double>(last.value) * 1e-6 <= limit);
    }
}

// Eight racks of 64 hosts, 64 spines: a rack has 64 uplinks, as many as hosts. Of the first rack
// `slow` of them carry a quarter of their rate, both ways. The reference simulator of Ultra
// Ethernet asks of itself that the last flow is there by
//   1.2 (8,000 S[MB] / B[Gb/s] + 9) us x 64 / (64 - f + f / 4),
// f of a rack's 64 uplinks.
double limit_of_reference(std::int64_t megabytes, double slow) {
  return 1.2 * (40.0 * static_cast<double>(megabytes) + 9) * 64 / (64 - slow + slow / 4);
}

Duration permutation_of_512(UetControl control, std::int32_t paths, std::int64_t megabytes,
                            std::int32_t slow) {
  const Wire cable{gigabits_per_second(200), microseconds(1)};
  TreeSpec tree;
  tree.tiers = {{"leaf", 64, 64, cable}, {"spine", 8, 0, cable}};
  NetworkSpec spec = placed(TransportKind::uet);
  spec.transport.uet.control = control;
  spec.transport.uet.entropy_values = paths;
  const Topology shape(build_tree(tree));
  const NodeId leaf{shape.npu_count()};
  std::int32_t degraded = 0;
  for (LinkIndex link = 0; link < shape.links().size() && degraded < 2 * slow; ++link) {
    const NodeId from = shape.links()[link].from, to = shape.links()[link].to;
    if (std::min(from.value, to.value) != leaf.value) continue;  // another leaf's, or a host's
    ++degraded;
    spec.routing.faults.push_back({.at = Time{},
                                   .link = link,
                                   .node = {},
                                   .condition = LinkCondition::degraded,
                                   .bandwidth = gigabits_per_second(50)});
  }
  return last_of_permutation(build_tree(tree), spec, megabytes * 1'000'000);
}

void check_permutations_of_512(std::initializer_list<std::int32_t> counts_of_paths) {
  for (const UetControl control : {UetControl::nscc, UetControl::rccc, UetControl::both})
    for (const std::int32_t paths : counts_of_paths) {
      INFO(name_of(control) << ", " << paths << " paths");
      const Duration last = permutation_of_512(control, paths, 1, 0);
      CHECK(static_cast<double>(last.value) * 1e-6 <= limit_of_reference(1, 0));
    }
}

TEST_CASE("512 hosts keep the limit of the reference simulator, with 32 paths") {
  check_permutations_of_512({32});
}

TEST_CASE("512 hosts keep the limit of the reference simulator, with 64 and 128 paths", "[slow]") {
  check_permutations_of_512({64, 128});
}

TEST_CASE("512 hosts with slow uplinks keep the limit of the reference simulator", "[slow]") {
  for (const UetControl control : {UetControl::nscc, UetControl::rccc, UetControl::both})
    for (const std::int32_t slow : {0, 1, 4, 16})
      for (const std::int64_t megabytes : {1, 10}) {
        INFO(name_of(control) << ", " << slow << " slow uplinks, " << megabytes << " MB");
        const Duration last = permutation_of_512(control, 64, megabytes, slow);
        CHECK(static_cast<double>(last.value) * 1e-6 <= limit_of_reference(megabytes, slow));
      }
}

}  // namespace
}  // namespace orrery
