// The patterns of peers/pattern.h on a backend of ours, hosts around one switch (50 GB/s and 1 us a
// link), on a square torus or on a fat tree (50 GB/s, no latency): makespan, CPU seconds, messages
// per second. peers/simgrid_driver runs the same on SimGrid, over the same links.
//
//   network_benchmark ring|halving_doubling|pairwise|burst[@torus|@tree|@tapered] RANKS BYTES
//   JITTER
//                     [BACKEND [TOLERANCE in millionths]]
#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "network/backends.h"
#include "network/routing/level_routes.h"
#include "network/topology/builders/tree.h"
#include "tests/benchmark/peers/cost.h"
#include "tests/benchmark/peers/pattern.h"

namespace {

using namespace orrery;

class Exchange final : public MessageListener {
 public:
  Exchange(NetworkBackend& network, const Pattern& pattern)
      : network_(network), pattern_(pattern), ranks_(pattern.ranks) {}

  void start() {
    for (int rank = 0; rank < pattern_.ranks; ++rank) enter(rank, 0);
  }

 private:
  struct Rank {
    int step = -1;
    int pending = 0;
  };

  void enter(int rank, int step) {
    Rank& here = ranks_[rank];
    here.step = step;
    if (step == pattern_.steps()) return;
    here.pending = 2 * pattern_.messages_per_step();
    for (int i = 0; i < pattern_.messages_per_step(); ++i) {
      const int to = pattern_.target(rank, step, i), from = pattern_.source(rank, step, i);
      if (ranks_[to].step == step) post(rank, to, step);
      if (ranks_[from].step == step) post(from, rank, step);
    }
  }
  void post(int from, int to, int step) {
    network_.send({.source = {from},
                   .target = {to},
                   .size = bytes(pattern_.bytes(from, to, step)),
                   .token = {.owner = static_cast<std::uint32_t>(from),
                             .position = static_cast<std::uint32_t>(to)}},
                  *this);
  }
  void delivered(const MessageToken& token, Bytes) override {
    finish_one(static_cast<int>(token.owner));
    finish_one(static_cast<int>(token.position));
  }
  void finish_one(int rank) {
    if (--ranks_[rank].pending == 0) enter(rank, ranks_[rank].step + 1);
  }
  void injected(const MessageToken&, NodeId) override {}

  NetworkBackend& network_;
  const Pattern& pattern_;
  std::vector<Rank> ranks_;
};

TopologySpec hosts(const Pattern& pattern) {
  const Bandwidth bandwidth = gigabytes_per_second(50);
  if (pattern.fabric == Pattern::Fabric::star)
    return {
        {{"", LevelKind::switched, pattern.ranks, bandwidth, microseconds(1), Scope::scale_out}}};
  if (pattern.fabric == Pattern::Fabric::torus) {
    const LevelSpec dimension{"",        LevelKind::ring, pattern.side(),
                              bandwidth, Duration{},      Scope::scale_out};
    return {{dimension, dimension}};
  }
  const Wire wire{bandwidth, {}};
  const auto down = pattern.down(), up = pattern.up();
  TreeSpec tree;
  tree.tiers = {
      {"leaf", down[0], up[1], wire}, {"spine", down[1], up[2], wire}, {"core", down[2], 0, wire}};
  return build_tree(tree);
}

// On a ring of even size k two ways are equally long when the target is half way round. The fluid
// backend goes half each way (decision 0020). SimGrid 3.32 goes up (TorusZone::get_local_route),
// but from coordinate k/2 to 0.
bool simgrid_goes_down(std::int32_t from, std::int32_t to, std::int32_t size) {
  return size > 2 && 2 * from == size && to == 0;
}

StaticRoute route_of_simgrid(const Topology& topology, NodeId from, NodeId to) {
  StaticRoute route{from, to, {}};
  NodeId here = from;
  for (int level = 0; level < 2; ++level) {
    const std::int32_t size = topology.levels()[level].size;
    const std::int32_t end = topology.coordinate(to, level);
    const bool down = simgrid_goes_down(topology.coordinate(from, level), end, size);
    for (std::int32_t c = topology.coordinate(here, level); c != end;
         c = topology.coordinate(here, level)) {
      const std::int32_t port = topology.egress_port(level, c, down ? c - 1 : end);
      const auto link = static_cast<LinkIndex>(topology.egress_link(level, here, port));
      route.links.push_back(link);
      here = topology.links()[link].to;
    }
  }
  return route;
}

// The routes of a square torus where SimGrid's differ from ours.
std::vector<StaticRoute> routes_of_simgrid(const Topology& topology) {
  std::vector<StaticRoute> routes;
  for (NodeId from{0}; from.value < topology.npu_count(); ++from.value)
    for (NodeId to{0}; to.value < topology.npu_count(); ++to.value)
      if (from != to && has_two_ways(topology, from, to))
        routes.push_back(route_of_simgrid(topology, from, to));
  return routes;
}

RoutingSpec routing(const Pattern& pattern, const Topology& topology) {
  RoutingSpec routing;
  if (pattern.fabric == Pattern::Fabric::torus) routing.routes = routes_of_simgrid(topology);
  if (pattern.fabric == Pattern::Fabric::tree || pattern.fabric == Pattern::Fabric::tapered)
    routing.policy = RoutingPolicy::d_mod_k;
  return routing;
}

}  // namespace

int main(int argc, char** argv) {
  const double to_load = cpu_seconds();
  if (argc < 5) return 2;
  const Pattern pattern = Pattern::parse(argv);
  NetworkSpec spec;
  spec.backend = argc > 5 ? argv[5] : "fluid";
  if (argc > 6) spec.fluid.completion_tolerance = {std::atoi(argv[6]), 1'000'000};
  const BackendEntry* backend = find_backend(spec.backend);
  if (backend == nullptr) return 2;
  EventQueue queue;
  const Topology topology(hosts(pattern));
  spec.routing = routing(pattern, topology);
  const auto network = backend->make(queue, topology, spec);
  Exchange exchange(*network, pattern);
  exchange.start();
  queue.run();
  const double cpu = cpu_seconds();
  const auto messages = static_cast<double>(network->statistics().messages);
  fmt::print(
      "{} {} {}: makespan {:.12f} s, {:.0f} flows, {:.3f} CPU s ({:.3f} to load), {:.1f} k "
      "flows/s, {:.1f} MB\n",
      spec.backend, argv[1], pattern.ranks,
      static_cast<double>(queue.now().since_start.value) * 1e-12, messages, cpu, to_load,
      messages / cpu * 1e-3, peak_megabytes());
}
