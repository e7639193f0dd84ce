// The patterns of pattern.h on SimGrid, for docs/speed.md: one actor a rank, hosts around one
// switch with a link up and a link down each (50 GB/s and 1 us), model CM02 without TCP's window,
// no cross traffic. Or on a square torus or a fat tree (pattern.h), 50 GB/s each way and no
// latency: where routes differ in length SimGrid shares by latency, which we do not.
//
//   simgrid_driver ring|halving_doubling|pairwise|burst[@torus|@tree|@tapered] RANKS BYTES JITTER
//                  [exact]
//
// By default SimGrid takes shares closer than 1e-5 for equal, and times closer than 1 ns; "exact":
// 1e-12 of either.
#include <cstdio>
#include <simgrid/s4u.hpp>
#include <vector>

#include "tests/benchmark/peers/cost.h"
#include "tests/benchmark/peers/pattern.h"

namespace sg4 = simgrid::s4u;

namespace {

constexpr double bandwidth = 50e9;

// What a zone calls for each of its hosts.
sg4::ClusterCallbacks collect(std::vector<sg4::Host*>& hosts) {
  return sg4::ClusterCallbacks(
      [&hosts](sg4::NetZone* zone, const std::vector<unsigned long>&, unsigned long id) {
        auto* host = zone->create_host("h" + std::to_string(id), 1e9);
        hosts.push_back(host);
        return std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*>(
            host->get_netpoint(), nullptr);
      });
}

std::vector<sg4::Host*> make_torus(unsigned long side) {
  std::vector<sg4::Host*> hosts;
  sg4::create_torus_zone("torus", nullptr, {side, side}, collect(hosts), bandwidth, 0,
                         sg4::Link::SharingPolicy::SPLITDUPLEX)
      ->seal();
  return hosts;
}

// Its routing is d mod k.
std::vector<sg4::Host*> make_tree(const Pattern& pattern) {
  std::vector<sg4::Host*> hosts;
  const auto down = pattern.down(), up = pattern.up();
  const sg4::FatTreeParams shape(3, {down.begin(), down.end()}, {up.begin(), up.end()}, {1, 1, 1});
  sg4::create_fatTree_zone("tree", nullptr, shape, collect(hosts), bandwidth, 0,
                           sg4::Link::SharingPolicy::SPLITDUPLEX)
      ->seal();
  return hosts;
}

std::vector<sg4::Host*> make_star(int ranks) {
  auto* zone = sg4::create_star_zone("star");
  std::vector<sg4::Host*> hosts;
  for (int i = 0; i < ranks; ++i) {
    auto* host = zone->create_host("h" + std::to_string(i), 1e9);
    const auto* up =
        zone->create_link("u" + std::to_string(i), bandwidth)->set_latency(1e-6)->seal();
    const auto* down =
        zone->create_link("d" + std::to_string(i), bandwidth)->set_latency(1e-6)->seal();
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {sg4::LinkInRoute(up)}, false);
    zone->add_route(nullptr, host->get_netpoint(), nullptr, nullptr, {sg4::LinkInRoute(down)},
                    false);
    hosts.push_back(host);
  }
  zone->seal();
  return hosts;
}

std::vector<sg4::Host*> make_hosts(const Pattern& pattern) {
  if (pattern.fabric == Pattern::Fabric::star) return make_star(pattern.ranks);
  if (pattern.fabric == Pattern::Fabric::torus)
    return make_torus(static_cast<unsigned long>(pattern.side()));
  return make_tree(pattern);
}

void run_rank(const Pattern& pattern, int rank) {
  static int payload = 0;
  for (int step = 0; step < pattern.steps(); ++step) {
    std::vector<sg4::CommPtr> pending;
    for (int i = 0; i < pattern.messages_per_step(); ++i) {
      const int from = pattern.source(rank, step, i), to = pattern.target(rank, step, i);
      static int* received = nullptr;
      pending.push_back(sg4::Mailbox::by_name(std::to_string(from) + ">" + std::to_string(rank))
                            ->get_async<int>(&received));
      pending.push_back(
          sg4::Mailbox::by_name(std::to_string(rank) + ">" + std::to_string(to))
              ->put_async(&payload, static_cast<uint64_t>(pattern.bytes(rank, to, step))));
    }
    for (const auto& comm : pending) comm->wait();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double to_load = cpu_seconds();
  sg4::Engine engine(&argc, argv);
  sg4::Engine::set_config("network/model:CM02");
  sg4::Engine::set_config("network/crosstraffic:0");
  sg4::Engine::set_config("network/TCP-gamma:0");
  const Pattern pattern = Pattern::parse(argv);
  if (argc > 5) {
    sg4::Engine::set_config("maxmin/precision:1e-12");
    sg4::Engine::set_config("surf/precision:1e-12");
  }
  const auto hosts = make_hosts(pattern);
  for (int rank = 0; rank < pattern.ranks; ++rank)
    sg4::Actor::create("rank", hosts[static_cast<std::size_t>(rank)],
                       [&pattern, rank] { run_rank(pattern, rank); });
  engine.run();
  const double cpu = cpu_seconds();
  const double flows =
      static_cast<double>(pattern.ranks) * pattern.steps() * pattern.messages_per_step();
  std::printf(
      "simgrid %s %d: makespan %.12f s, %.0f flows, %.3f CPU s (%.3f to load), %.1f k flows/s, "
      "%.1f MB\n",
      argv[1], pattern.ranks, sg4::Engine::get_clock(), flows, cpu, to_load, flows / cpu * 1e-3,
      peak_megabytes());
}
