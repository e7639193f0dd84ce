// What every network backend promises, run over every entry of network/backends.def: a new backend
// is tested by being listed. network/network_backend.h is the contract.
#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "core/base/random.h"
#include "core/trace/byte_bins.h"
#include "network/backends.h"
#include "network/packet/transports.h"
#include "network/routing/router.h"
#include "tests/network/message_log.h"

namespace orrery {
namespace {

using test::MessageLog;

template <TransportKind kind>
std::unique_ptr<NetworkBackend> make_with(EventQueue& queue, const Topology& topology,
                                          const NetworkSpec& spec) {
  NetworkSpec own = spec;
  own.transport.kind = kind;
  return find_backend("packet")->make(queue, topology, own);
}

// Every backend, and the backend packet with every transport that needs no ns-3.
std::span<const BackendEntry> subjects() {
  static const std::vector<BackendEntry> all = [] {
    std::vector<BackendEntry> found(builtin_backends().begin(), builtin_backends().end());
#define TRANSPORT_OF_NS3(name, sentence)
#define TRANSPORT(name, sentence)                                               \
  static const BackendTraits name##_traits = {.shares_links = true,             \
                                              .has_packets = true,              \
                                              .transport = TransportKind::name, \
                                              .tolerance = &name##_tolerance};  \
  found.push_back({#name, sentence, &make_with<TransportKind::name>, &name##_traits});
#include "network/transports.def"
#undef TRANSPORT
#undef TRANSPORT_OF_NS3
    return found;
  }();
  return all;
}

LevelSpec level(LevelKind kind, std::int32_t size, Scope scope = Scope::scale_out) {
  return {"", kind, size, gigabits_per_second(100), nanoseconds(500), scope};
}

// Two nodes of two NPUs, each NPU on its node's switch and by a NIC of its own on a leaf; the
// leaves of the two local ranks meet at a spine. Nodes: 4 NPUs, 4 NICs, 2 node switches, 2 leaves,
// 1 spine.
TopologySpec rails() {
  GraphSpec graph;
  graph.nodes.resize(4, {NodeKind::npu, ""});
  graph.nodes.resize(8, {NodeKind::nic, ""});
  graph.nodes.resize(13, {NodeKind::switched, ""});
  const auto join = [&](std::int32_t a, std::int32_t b, std::int32_t level) {
    const Link link{{a}, {b}, level, gigabits_per_second(100), nanoseconds(500), 1};
    graph.links.push_back(link);
    graph.links.push_back(link);
    std::swap(graph.links.back().from, graph.links.back().to);
  };
  for (std::int32_t npu = 0; npu < 4; ++npu) {
    join(npu, 8 + npu / 2, 0);
    join(npu, 4 + npu, 1);
    join(4 + npu, 10 + npu % 2, 1);
  }
  join(10, 12, 1);
  join(11, 12, 1);
  return {{level(LevelKind::graph, 2, Scope::local), level(LevelKind::graph, 2)},
          std::make_shared<const GraphSpec>(std::move(graph))};
}

std::vector<TopologySpec> platforms() {
  return {rails(),
          {{level(LevelKind::mesh, 5)}},
          {{level(LevelKind::mesh, 2, Scope::local), level(LevelKind::mesh, 3),
            level(LevelKind::ring, 3)}},
          {{level(LevelKind::switched, 8)}},
          {{level(LevelKind::ring, 6)}},
          {{level(LevelKind::fully_connected, 4)}},
          {{level(LevelKind::ring, 2, Scope::local), level(LevelKind::switched, 3)}},
          {{level(LevelKind::fully_connected, 3, Scope::local), level(LevelKind::ring, 4),
            level(LevelKind::switched, 2)}}};
}

// What a message crosses.
struct Way {
  Duration latency;
  std::vector<bool> levels;
};

Way way_on_levels(const Topology& topology, NodeId source, NodeId target) {
  Way way;
  for (int l = 0; l < static_cast<int>(topology.levels().size()); ++l) {
    const std::int32_t from = topology.coordinate(source, l), to = topology.coordinate(target, l);
    way.latency += topology.path_latency(l, from, to);
    way.levels.push_back(from != to);
  }
  return way;
}

Way way_on_graph(const Topology& topology, NodeId source, NodeId target) {
  Way way{{}, std::vector<bool>(topology.levels().size())};
  std::vector<LinkIndex> links;
  REQUIRE(Router(topology, {}).path(source, target, 0, links));
  for (const LinkIndex link : links) {
    way.latency += topology.links()[link].latency;
    way.levels[topology.links()[link].level] = true;
  }
  return way;
}

Way way_of(const Topology& topology, NodeId source, NodeId target) {
  return topology.structural() ? way_on_levels(topology, source, target)
                               : way_on_graph(topology, source, target);
}

struct Sent {
  std::int32_t source, target;
  Bytes size;
  Time at;
};

struct Outcome {
  std::vector<Sent> sent;
  std::vector<Time> delivered_at, injected_at;
  std::vector<int> deliveries;
  std::vector<Bytes> sizes;
  NetworkStatistics statistics;
};

// Random messages at random times, all from the queue. `watched`: gets the bytes of links.
Outcome storm(const BackendEntry& backend, const TopologySpec& spec, std::uint64_t seed,
              ByteBins* watched = nullptr) {
  EventQueue queue;
  const Topology topology(spec);
  const auto network = backend.make(queue, topology, {});
  if (watched != nullptr) network->watch_links(*watched);
  MessageLog log(queue);
  Outcome outcome;
  RandomStream random(seed, "storm");
  const auto npus = static_cast<std::uint64_t>(topology.npu_count());
  for (int i = 0; i < 200; ++i) {
    const auto source = static_cast<std::int32_t>(random.uniform_int(npus));
    const auto step = static_cast<std::int32_t>(1 + random.uniform_int(npus - 1));
    const auto target = (source + step) % topology.npu_count();
    const Bytes size = bytes(static_cast<std::int64_t>(random.uniform_int(20'000)));
    const Duration at = picoseconds(static_cast<std::int64_t>(random.uniform_int(10'000'000)));
    queue.schedule(at, [&, source, target, size] {
      outcome.sent.push_back({source, target, size, queue.now()});
      const std::size_t number = log.send(*network, source, target, size);
      CHECK(log.deliveries[number] == 0);  // never inside send()
    });
  }
  queue.run();
  outcome.delivered_at = log.delivered_at;
  outcome.injected_at = log.injected_at;
  outcome.deliveries = log.deliveries;
  outcome.sizes = log.sizes;
  outcome.statistics = network->statistics();
  return outcome;
}

// Segments of `piece` and a rest, stored at every node: the full ones leave one after the other,
// and behind the last of them the rest goes over the last link; or the rest is all there is.
Duration in_segments(Bytes size, Bytes piece, std::int64_t links) {
  const std::int64_t full = std::max<std::int64_t>(0, size.value - 1) / piece.value;
  const Bytes rest = size - piece * full;
  const Duration one = transfer_time(piece, gigabits_per_second(100));
  const Duration last = transfer_time(rest, gigabits_per_second(100));
  return full == 0 ? last * links : one * (full + links - 1) + last;
}

// What a message that is alone takes at least.
Duration closed_form(const BackendTraits& traits, const Topology& topology, std::int32_t target,
                     Bytes size) {
  const Duration latency = way_of(topology, {0}, {target}).latency;
  const Duration once = transfer_time(size, gigabits_per_second(100));
  const std::int64_t links = latency.value / nanoseconds(500).value;
  switch (traits.carriage) {
    case Carriage::cut_through:
      break;
    case Carriage::stored_whole:
      return latency + once * links;
    case Carriage::stored_in_segments:
      return latency + in_segments(size, traits.segment, links);
  }
  return latency + once;
}

Duration alone(const BackendEntry& backend, const TopologySpec& spec, std::int32_t target,
               Bytes size) {
  EventQueue queue;
  const Topology topology(spec);
  const auto network = backend.make(queue, topology, {});
  MessageLog log(queue);
  log.send(*network, 0, target, size);
  queue.run();
  return log.delivered_at[0] - Time{};
}

TEST_CASE("every backend delivers each message once, not before latency plus size over bandwidth") {
  for (const BackendEntry& backend : subjects())
    for (const TopologySpec& spec : platforms())
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        INFO(backend.name << " seed " << seed);
        const Topology topology(spec);
        const Outcome outcome = storm(backend, spec, seed);
        for (std::size_t i = 0; i < outcome.sent.size(); ++i) {
          const Sent& sent = outcome.sent[i];
          const Duration least = way_of(topology, {sent.source}, {sent.target}).latency +
                                 transfer_time(sent.size, gigabits_per_second(100));
          REQUIRE(outcome.deliveries[i] == 1);
          REQUIRE(outcome.sizes[i] == sent.size);
          REQUIRE(outcome.delivered_at[i] - sent.at >= least);
          REQUIRE(outcome.injected_at[i] <= outcome.delivered_at[i]);
          REQUIRE(outcome.injected_at[i] >= sent.at);
        }
      }
}

TEST_CASE("every backend gives the same times twice") {
  for (const BackendEntry& backend : subjects())
    for (const TopologySpec& spec : platforms()) {
      const Outcome one = storm(backend, spec, 5), two = storm(backend, spec, 5);
      CHECK(one.delivered_at == two.delivered_at);
      CHECK(one.injected_at == two.injected_at);
    }
}

TEST_CASE("every backend counts every byte on every level it crosses") {
  for (const BackendEntry& backend : subjects())
    for (const TopologySpec& spec : platforms()) {
      const Topology topology(spec);
      const Outcome outcome = storm(backend, spec, 3);
      for (int l = 0; l < static_cast<int>(topology.levels().size()); ++l) {
        TotalBytes crossed;
        for (const Sent& sent : outcome.sent)
          if (way_of(topology, {sent.source}, {sent.target}).levels[l]) crossed += sent.size;
        TotalBytes counted;
        for (const TotalBytes b : outcome.statistics.levels[l].bytes_by_label) counted += b;
        CHECK(counted == crossed);
      }
      CHECK(outcome.statistics.messages == outcome.sent.size());
    }
}

// 16 intervals of 1 ns have to double often to hold the 10 us and more of the storm.
TEST_CASE("every backend says when each byte was on each link") {
  for (const BackendEntry& backend : subjects())
    for (const TopologySpec& spec : platforms()) {
      const Topology topology(spec);
      ByteBins bins(topology.links().size(), 16, nanoseconds(1));
      const Outcome outcome = storm(backend, spec, 4, &bins);
      CHECK(bins.width() > nanoseconds(512));
      TotalBytes all;
      for (std::size_t link = 0; link < bins.row_count(); ++link) {
        TotalBytes sum;
        for (const TotalBytes part : bins.row(link)) {
          CHECK(part >= Bytes{});
          sum += part;
        }
        CHECK(sum == outcome.statistics.links[link]);
        CHECK(bins.row(link).size() <= 16);
        all += sum;
      }
      CHECK(all > Bytes{});
      CHECK(storm(backend, spec, 4).delivered_at == outcome.delivered_at);  // only watched
    }
}

TEST_CASE("no backend has more on the links of a switch than they carry") {
  const TopologySpec spec{{level(LevelKind::switched, 8)}};
  const Topology topology(spec);
  for (const BackendEntry& backend : subjects()) {
    if (backend.traits->spreads_evenly) continue;  // whatever its rates were
    ByteBins bins(topology.links().size(), 64, nanoseconds(1));
    storm(backend, spec, 5, &bins);
    // 100 Gb/s are 12.5 bytes in a nanosecond; of those on the border, parts are rounded.
    const std::int64_t most = bins.width().value * 125 / 10'000 + 10;
    for (std::size_t link = 0; link < bins.row_count(); ++link)
      for (const TotalBytes part : bins.row(link)) CHECK(part <= bytes(most));
  }
}

// Of the platforms above: at most 10 links of 500 ns each way.
constexpr Duration longest_trip = microseconds(10);

TEST_CASE("every backend is monotone in the size of a message that is alone, and exact") {
  for (const BackendEntry& backend : subjects())
    for (const TopologySpec& spec : platforms()) {
      const Topology topology(spec);
      for (std::int32_t target = 1; target < topology.npu_count(); ++target) {
        Duration before{-1};
        for (const std::int64_t size : {0, 1, 1'499, 1'500, 1'501, 65'536, 1'000'000}) {
          const Duration time = alone(backend, spec, target, bytes(size));
          const Duration exact = closed_form(*backend.traits, topology, target, bytes(size));
          const Duration above =
              backend.traits->tolerance == nullptr
                  ? Duration{}
                  : backend.traits->tolerance(bytes(size), gigabits_per_second(100), longest_trip);
          CHECK(time >= before);
          if (!backend.traits->has_packets) CHECK(time > before);  // packets carry 0 bytes as one
          CHECK(time >= exact);
          CHECK(time <= exact + above);
          before = time;
        }
      }
    }
}

// To a switch and from it there is one link: at least L + S/B, and less than another L more.
TEST_CASE("messages may begin and end at a switch") {
  for (const BackendEntry& backend : subjects()) {
    EventQueue queue;
    const Topology topology({{level(LevelKind::ring, 2, Scope::local),
                              level(LevelKind::switched, 3), level(LevelKind::switched, 2)}});
    const auto network = backend.make(queue, topology, {});
    MessageLog log(queue);
    const Bytes size = bytes(10'000);
    const Duration least = nanoseconds(500) + transfer_time(size, gigabits_per_second(100));
    for (const int number : {1, 2}) {
      const NodeId npu{7}, its_switch = topology.switch_of(number, npu);  // a switch per group
      CHECK(its_switch.value >= topology.npu_count());
      for (const auto& [source, target] :
           {std::pair(npu, its_switch), std::pair(its_switch, npu)}) {
        const Time begin = queue.now();
        const std::size_t message = log.send(*network, source.value, target.value, size);
        queue.run();
        INFO(backend.name << " level " << number << " from " << source.value);
        REQUIRE(log.deliveries[message] == 1);
        CHECK(log.delivered_at[message] - begin >= least);
        CHECK(log.delivered_at[message] - begin < least + nanoseconds(500));
        CHECK(log.injected_at[message] <= log.delivered_at[message]);
      }
      const NetworkStatistics statistics = network->statistics();
      for (const std::size_t link :
           {topology.egress_link(number, npu, 0), topology.switch_to_npu_link(number, npu)}) {
        CHECK(statistics.links[link] >= size);
        // Packets have headers, and are acknowledged.
        if (!backend.traits->has_packets) CHECK(statistics.links[link] == size);
      }
    }
  }
}

// On a line of four, 0 sends 500 kB to 3 and 1 sends 1 MB to 2: no port is used twice, but both
// cross the link 1 -> 2. At 100 Gb/s the large one is on it until 80 us, and the small one comes to
// it after 0.5 us where messages are cut through, after 40.5 us where they are stored.
TEST_CASE("a backend shares links inside the fabric if and only if it says so") {
  const Bytes small = bytes(500'000), large = bytes(1'000'000);
  const Topology topology({{level(LevelKind::mesh, 4)}});
  for (const BackendEntry& backend : subjects()) {
    EventQueue queue;
    const auto network = backend.make(queue, topology, {});
    MessageLog log(queue);
    log.send(*network, 0, 3, small);
    log.send(*network, 1, 2, large);
    queue.run();
    const Duration alone =
        closed_form(*backend.traits, topology, 3, small) +
        closed_form(*backend.traits, topology, 1, large);  // one link, like 1 -> 2
    const Duration together = (log.delivered_at[0] - Time{}) + (log.delivered_at[1] - Time{});
    INFO(backend.name);
    CHECK((together > alone) == backend.traits->shares_links);
  }
}

// Eight NPUs on a switch that all do the same: one for all.
TEST_CASE("a backend folds if and only if it says so") {
  for (const BackendEntry& backend : subjects()) {
    EventQueue queue;
    const Topology topology({{level(LevelKind::switched, 8)}});
    INFO(backend.name);
    struct Nothing final : FoldedTraffic {
      void targets(NodeId, std::vector<Target>&) const override {}
    } nothing;
    const FoldAnswer answer = backend.make(queue, topology, {})->fold(Fold({{8, 1}}), nothing);
    CHECK(answer.folds() == backend.traits->folds);
  }
}

}  // namespace
}  // namespace orrery
