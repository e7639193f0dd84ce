// The analytical model on graphs, by hand, and against the one on levels.
#include <catch2/catch.hpp>

#include "core/base/random.h"
#include "network/analytical/analytical_backend.h"
#include "network/analytical/routed_backend.h"
#include "tests/network/network_under_test.h"
#include "tests/network/routing/small_graphs.h"

namespace orrery {
namespace {

using test::GraphMaker;
using test::MessageLog;

struct RoutedFabric : test::NetworkUnderTest {
  explicit RoutedFabric(const GraphMaker& maker) : NetworkUnderTest("analytical", maker.spec()) {}
};

// NPUs 0, 1 under switch 3, 2 under switch 4, 1 GB/s; 0.5 GB/s between the switches: 3 links of
// 100 ns, 1,000 B at the bottleneck's 0.5 B/ns. Inside the first switch, 2 links at 1 B/ns.
TEST_CASE("on a graph, latency adds up along the path and the slowest link sets the pace") {
  GraphMaker maker(3, 0, 2);
  maker.join(0, 3).join(1, 3).join(2, 4).join(3, 4, Bandwidth{500'000'000});
  RoutedFabric fabric(maker);
  const auto far = fabric.send(0, 2, 1'000), near = fabric.send(1, 0, 1'000);
  fabric.queue.run();
  CHECK(fabric.delivered(far) == nanoseconds(2'300));
  CHECK(fabric.delivered(near) == nanoseconds(1'200));
  const NetworkStatistics statistics = fabric.network->statistics();
  CHECK(statistics.levels[0].bytes_by_label[0] == bytes(2'000));
  CHECK(statistics.links[0] == bytes(1'000));  // 0 -> 3
  CHECK(statistics.links[1] == bytes(1'000));  // 3 -> 0
  CHECK(statistics.links[6] == bytes(1'000));  // 3 -> 4
}

// NPUs 0 and 1 have a link to NIC 4 each; 2 and 3 have NICs 5 and 6 of their own. Switch 7. All at
// 1 B/ns, 4 links of 100 ns between them. 0 and 1 share their NIC's link, 2 and 3 do not.
TEST_CASE("NPUs that share a NIC take turns") {
  GraphMaker maker(4, 3, 1);
  maker.join(0, 4).join(1, 4).join(2, 5).join(3, 6).join(4, 7).join(5, 7).join(6, 7);
  RoutedFabric out(maker);
  const auto a = out.send(0, 2, 1'000), b = out.send(1, 3, 1'000);
  out.queue.run();
  CHECK(out.delivered(a) == nanoseconds(1'400));
  CHECK(out.delivered(b) == nanoseconds(2'400));
  RoutedFabric in(maker);
  const auto c = in.send(2, 0, 1'000), d = in.send(3, 1, 1'000);
  in.queue.run();
  CHECK(in.delivered(c) == nanoseconds(1'400));
  CHECK(in.delivered(d) == nanoseconds(2'400));
}

TEST_CASE("a message may start and end at a switch") {
  GraphMaker maker(2, 0, 1);
  maker.join(0, 2).join(1, 2);
  RoutedFabric fabric(maker);
  const auto up = fabric.send(0, 2, 1'000), down = fabric.send(2, 1, 1'000);
  fabric.queue.run();
  CHECK(fabric.delivered(up) == nanoseconds(1'100));
  CHECK(fabric.delivered(down) == nanoseconds(1'100));
}

// The two implementations of one model, on random messages.
TEST_CASE("on levels, the routed model gives the times and bytes of the arithmetic one") {
  const auto level = [](LevelKind kind, std::int32_t size, std::int64_t rate) {
    return LevelSpec{"", kind, size, gigabytes_per_second(rate), nanoseconds(70), Scope::local};
  };
  const std::vector<std::vector<LevelSpec>> platforms = {
      {level(LevelKind::ring, 6, 3), level(LevelKind::switched, 3, 1)},
      {level(LevelKind::fully_connected, 3, 2), level(LevelKind::mesh, 4, 3)},
      {level(LevelKind::mesh, 2, 1), level(LevelKind::ring, 2, 2), level(LevelKind::mesh, 5, 3)}};
  for (const auto& levels : platforms) {
    const Topology topology({levels});
    EventQueue queues[2];
    const std::unique_ptr<NetworkBackend> networks[2] = {
        make_analytical_backend(queues[0], topology),
        make_routed_analytical_backend(queues[1], topology, {})};
    std::vector<Time> delivered[2];
    for (int side : {0, 1}) {
      MessageLog log(queues[side]);
      RandomStream random(7, "messages");
      const auto npus = static_cast<std::uint64_t>(topology.npu_count());
      for (int i = 0; i < 500; ++i) {
        const auto from = static_cast<std::int32_t>(random.uniform_int(npus));
        const auto step = static_cast<std::int32_t>(1 + random.uniform_int(npus - 1));
        const auto size = static_cast<std::int64_t>(random.uniform_int(9'000));
        const std::int32_t to = (from + step) % topology.npu_count();
        queues[side].schedule(picoseconds(static_cast<std::int64_t>(random.uniform_int(9'000'000))),
                              [&log, &network = *networks[side], from, to, size] {
                                log.send(network, from, to, bytes(size));
                              });
      }
      queues[side].run();
      delivered[side] = log.delivered_at;
    }
    CHECK(delivered[0] == delivered[1]);
    CHECK(networks[0]->statistics().links == networks[1]->statistics().links);
    for (std::size_t l = 0; l < levels.size(); ++l)
      CHECK(networks[0]->statistics().levels[l].bytes_by_label ==
            networks[1]->statistics().levels[l].bytes_by_label);
  }
}

}  // namespace
}  // namespace orrery
