// Nodes of four GPUs that share two NICs, as a graph: which channels use which NICs.
//
//   node k:   GPU 0  GPU 1   GPU 2  GPU 3      each GPU - NVSwitch   100 GB/s
//               \     /         \     /        each GPU - its NIC     20 GB/s
//                NIC A           NIC B         each NIC - fabric      10 GB/s
//                   \             /
//                    fabric switch
//
// NVSwitches and NICs are not joined: what a GPU sends to another node goes through its own NIC and
// arrives through the NIC of the target.
#include <catch2/catch.hpp>

#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

constexpr std::int32_t kGpus = 4, kNics = 2;
constexpr Bandwidth kInsideNode = gigabytes_per_second(100), kToNic = gigabytes_per_second(20),
                    kNic = gigabytes_per_second(10);
constexpr Duration kLatency = nanoseconds(500);

// Nodes of the graph: GPUs, then for each node its NVSwitch and two NICs, then the fabric.
TopologySpec cluster(std::int32_t nodes) {
  auto graph = std::make_shared<GraphSpec>();
  const std::int32_t gpus = nodes * kGpus, fabric = gpus + nodes * (1 + kNics);
  graph->nodes.resize(fabric + 1);
  for (std::int32_t gpu = 0; gpu < gpus; ++gpu) graph->nodes[gpu].kind = NodeKind::npu;
  const auto join = [&](std::int32_t a, std::int32_t b, int level, Bandwidth bandwidth) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
      graph->links.push_back({{from}, {to}, level, bandwidth, kLatency});
  };
  for (std::int32_t node = 0; node < nodes; ++node) {
    const std::int32_t nvswitch = gpus + node * (1 + kNics);
    for (std::int32_t local = 0; local < kGpus; ++local) {
      const std::int32_t gpu = node * kGpus + local, nic = nvswitch + 1 + local / 2;
      join(gpu, nvswitch, 0, kInsideNode);
      join(gpu, nic, 1, kToNic);
      // GPUs of one NIC could meet there: twice as far as over the NVSwitch.
      graph->links.end()[-1].cost = graph->links.end()[-2].cost = 2;
    }
    for (std::int32_t nic = nvswitch + 1; nic <= nvswitch + kNics; ++nic) {
      graph->nodes[nic].kind = NodeKind::nic;
      join(nic, fabric, 1, kNic);
    }
  }
  TopologySpec spec;
  spec.levels = {{"node", LevelKind::graph, kGpus, kInsideNode, kLatency * 2, Scope::local},
                 {"fabric", LevelKind::graph, nodes, kNic, kLatency * 4, Scope::scale_out}};
  spec.graph = graph;
  return spec;
}

struct Outcome {
  Duration time, bound;
  std::int64_t nics_used = 0;          // NICs of node 0 that sent anything
  TotalBytes at_busiest_nic, at_nics;  // sent to the fabric by node 0
};

Outcome run(const char* algorithm, std::int32_t nodes, Bytes size, std::int32_t chunks) {
  SystemSpec spec = plain_system(algorithm);
  for (CollectiveSpec& collective : spec.collectives) {
    collective.schedule = HierarchicalSchedule::flat;
    collective.chunks = chunks;
  }
  World world(cluster(nodes), spec,
              World::everywhere(nodes * kGpus, {collective(0, Collective::all_reduce, size)}));
  Outcome outcome;
  outcome.time = world.run();
  REQUIRE(world.runner->finished());
  outcome.bound = world.runner->call_of(0).value().bandwidth_bound;
  const std::int32_t nvswitch = nodes * kGpus, fabric = nvswitch + nodes * (1 + kNics);
  const auto statistics = world.network->statistics();
  for (std::size_t link = 0; link < statistics.links.size(); ++link) {
    const Link& wire = world.topology.links()[link];
    if (wire.to.value != fabric || wire.from.value > nvswitch + kNics) continue;
    const TotalBytes sent = statistics.links[link];
    outcome.nics_used += sent > Bytes{};
    outcome.at_nics += sent;
    outcome.at_busiest_nic = std::max(outcome.at_busiest_nic, sent);
  }
  return outcome;
}

// A ring over 4 N ranks leaves each node once a channel, with 2(n-1)/n S of its c-th. One channel:
// all of it through one NIC, so cut finely it takes 2(n-1)/n S / B, and the bus bandwidth (S / time
// * 2(n-1)/n) is B. Two channels, there and back, leave at GPU 3 and GPU 0: half through each NIC,
// the bus bandwidth is 2 B. Four begin at GPUs 0 and 2 in both directions: half through each, too.
TEST_CASE("two channels of a ring reach both NICs of a node, one reaches half") {
  for (const std::int32_t nodes : {2, 3, 4}) {
    const std::int64_t n = nodes * kGpus;
    const Bytes size = bytes(n * 4'000'000), crossing = bytes(2 * (n - 1) * 4'000'000);
    const double once = static_cast<double>(transfer_time(crossing, kNic).value);
    const auto share = [&](const Outcome& o) { return static_cast<double>(o.time.value) / once; };

    const Outcome one = run("ring", nodes, size, 16);
    CHECK(one.nics_used == 1);
    CHECK(one.at_busiest_nic == crossing);
    CHECK(share(one) >= 1);
    CHECK(share(one) < 1.03);
    CHECK(one.bound == transfer_time(crossing, kNic));

    for (const char* algorithm : {"ring:2", "ring:4"}) {
      const Outcome both = run(algorithm, nodes, size, 16);
      INFO(algorithm << " over " << nodes << " nodes");
      CHECK(both.nics_used == 2);
      CHECK(both.at_nics == crossing);
      CHECK(both.at_busiest_nic * 2 == crossing);
      CHECK(share(both) >= 0.5);
      CHECK(share(both) < 0.53);
      CHECK(both.bound <= both.time);
    }
  }
}

// Two nodes: each tree has one link between them, up S and down S in turn over all chunks. In the
// tree with node 0 on top node 0 sends what comes down, in the other one what goes up: S in all
// through its NICs. One pair of trees has its gates at GPU 0: S / B. Two pairs, at GPUs 0 and 2,
// use both NICs: half of that.
TEST_CASE("two pairs of trees reach both NICs of a node, one pair reaches half") {
  const Bytes size = bytes(64'000'000);
  const double once = static_cast<double>(transfer_time(size, kNic).value);
  const Outcome one = run("double_binary_tree", 2, size, 256);
  CHECK(one.nics_used == 1);
  CHECK(one.at_busiest_nic == size);
  CHECK(static_cast<double>(one.time.value) >= once);
  CHECK(static_cast<double>(one.time.value) < 1.1 * once);
  const Outcome two = run("double_binary_tree:2", 2, size, 256);
  CHECK(two.nics_used == 2);
  CHECK(two.at_nics == size);
  CHECK(two.at_busiest_nic * 2 == size);
  CHECK(static_cast<double>(two.time.value) >= once / 2);
  CHECK(static_cast<double>(two.time.value) < 0.55 * once);
}

}  // namespace
}  // namespace orrery
