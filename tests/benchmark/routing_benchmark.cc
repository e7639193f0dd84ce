// Whole-process benchmark of routes on a fat tree: CPU and memory of building it, and of one path
// each for a ring and for random permutations of all hosts.
//
//   routing_benchmark [radix] [permutations]
//
// The default radix, 64, is a tree of 65,536 hosts.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <numeric>
#include <utility>

#include "core/base/random.h"
#include "network/routing/router.h"
#include "network/topology/builders/tree.h"

namespace {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void print_line(const char* what, double since, std::size_t links) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{:<20} {:6.2f} CPU s, {:9} links, {:7.1f} MB peak\n", what, cpu_seconds() - since,
             links, static_cast<double>(usage.ru_maxrss) * 1e-3);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace orrery;
  const std::int32_t radix = argc > 1 ? std::atoi(argv[1]) : 64;
  const int permutations = argc > 2 ? std::atoi(argv[2]) : 2;
  double begin = cpu_seconds();
  const Topology topology(build_tree(
      {{}, tiers_by_radix(radix, 3, {}, {gigabits_per_second(400), nanoseconds(500)}), 0}));
  const std::int32_t hosts = topology.npu_count();
  fmt::print("{} hosts, {} nodes\n", hosts, topology.node_count());
  print_line("build", begin, topology.links().size());

  Router router(topology, {});
  std::vector<std::int32_t> targets(static_cast<std::size_t>(hosts));
  std::vector<LinkIndex> path;
  std::size_t failed = 0;
  const auto route_all = [&](const char* what) {
    begin = cpu_seconds();
    std::size_t links = 0;
    for (std::int32_t host = 0; host < hosts; ++host) {
      path.clear();
      if (targets[host] == host) continue;
      failed += !router.path({host}, {targets[host]}, 0, path);
      links += path.size();
    }
    print_line(what, begin, links);
  };
  for (std::int32_t host = 0; host < hosts; ++host) targets[host] = (host + 1) % hosts;
  route_all("ring");
  route_all("ring again");
  std::iota(targets.begin(), targets.end(), 0);
  RandomStream random(1, "permutation");
  for (int i = 0; i < permutations; ++i) {
    for (auto place = targets.size(); place > 1; --place)
      std::swap(targets[place - 1], targets[random.uniform_int(place)]);
    route_all("random permutation");
  }
  return failed == 0 ? 0 : 1;
}
