// Queues and memory of packet networks by hand. Star of 100 Gb/s (80 ps a byte), 500 ns a link.
#include "network/packet/packet_fabric.h"

#include <catch2/catch.hpp>

#include <vector>

namespace orrery {
namespace {

struct Log final : PacketOwner {
  explicit Log(EventQueue& clock) : queue(clock) {}
  void packet_arrived(PacketIndex, bool marked) override {
    arrived.push_back(queue.now() - Time{});
    marks += marked;
  }
  void packet_lost(PacketIndex) override { ++lost; }
  void packet_left(PacketIndex) override { left.push_back(queue.now() - Time{}); }

  EventQueue& queue;
  std::vector<Duration> arrived, left;
  int lost = 0, marks = 0;
};

struct Star {
  explicit Star(const SwitchSpec& spec, int npus = 8)
      : topology({{{"", LevelKind::switched, npus, gigabits_per_second(100), nanoseconds(500),
                    Scope::scale_out}}}),
        log(queue),
        fabric(queue, topology, spec, {}, 1, log) {}

  PathIndex path(std::int32_t from, std::int32_t to) {
    const std::vector<LinkIndex> links{
        static_cast<LinkIndex>(topology.egress_link(0, {from}, 0)),
        static_cast<LinkIndex>(topology.switch_to_npu_link(0, {to}))};
    return fabric.add_path(links);
  }
  void send(PathIndex path, std::uint32_t size, bool can_be_marked = false) {
    fabric.send(fabric.allocate(), {path, size, can_be_marked, true});
  }

  EventQueue queue;
  Topology topology;
  Log log;
  PacketFabric fabric;
};

TEST_CASE("packets are stored and forwarded, one at a time on a link") {
  Star star({});
  const PathIndex path = star.path(0, 1);
  star.send(path, 1'000);
  star.send(path, 1'000);
  star.queue.run();
  // 80 ns each: the first leaves at 80 and is at the switch at 580, at its target at 1,160; the
  // second is one packet behind.
  CHECK(star.log.left == std::vector{nanoseconds(80), nanoseconds(160)});
  CHECK(star.log.arrived == std::vector{nanoseconds(1'160), nanoseconds(1'240)});
}

TEST_CASE("a switch has room for what its memory holds, and loses the rest") {
  // Seven packets of 1,000 B meet at one port: one is sent at once, the memory holds three.
  SwitchSpec spec;
  spec.buffer = bytes(3'999);
  Star star(spec);
  for (std::int32_t from = 1; from < 8; ++from) star.send(star.path(from, 0), 1'000);
  star.queue.run();
  CHECK(star.log.arrived.size() == 4);
  CHECK(star.log.lost == 3);
  const PacketStatistics statistics = star.fabric.statistics();
  CHECK(statistics.drops == 3);
  CHECK(statistics.packets == 7);
  CHECK(statistics.packet_hops == 7 + 4);
  REQUIRE(statistics.switches.size() == 1);
  CHECK(statistics.switches[0].most_used == bytes(3'000));
  CHECK(statistics.links[star.topology.switch_to_npu_link(0, {0})].most_waiting == bytes(3'000));
}

TEST_CASE("what packets wait is counted by their kind, at the source and in switches") {
  // Three sources send two packets of 1,000 B (80 ns) each to one port. The second of each source
  // waits 80 ns there. The first ones meet at the switch at 580 ns and wait 0, 80 and 160 ns; the
  // second ones come at 660, when 80 + 160 ns of work are left: 160, 240 and 320 ns (one packet is
  // just sent).
  Star star({});
  for (std::int32_t from = 1; from < 4; ++from) {
    const PathIndex path = star.path(from, 0);
    for (const std::uint8_t kind : {std::uint8_t{3}, std::uint8_t{5}})
      star.fabric.send(star.fabric.allocate(), {.path = path, .wire_bytes = 1'000, .kind = kind});
  }
  star.queue.run();
  REQUIRE(star.fabric.waits().size() == 6);
  const PacketWaits first = star.fabric.waits()[3], second = star.fabric.waits()[5];
  CHECK(first.packets == 3);
  CHECK(first.at_source == TotalTime());
  CHECK(first.in_switches == nanoseconds(80 + 160));
  CHECK(first.longest == nanoseconds(160));
  CHECK(second.packets == 3);
  CHECK(second.at_source == nanoseconds(3 * 80));
  CHECK(second.in_switches == nanoseconds(160 + 240 + 320));
  CHECK(second.longest == nanoseconds(320));
}

TEST_CASE("a dynamic threshold keeps room for other ports") {
  // Pool of 6,000 B, threshold 1: a port that holds w takes a packet while w + 1,000 is at most the
  // free part: 0 + 1,000 <= 6,000, 1,000 + 1,000 <= 5,000, 3,000 <= 4,000, 4,000 > 3,000: three.
  SwitchSpec spec;
  spec.buffer = bytes(6'000);
  spec.dynamic_threshold = 1;
  Star star(spec);
  for (std::int32_t from = 1; from < 8; ++from) star.send(star.path(from, 0), 1'000);
  star.queue.run();
  CHECK(star.log.arrived.size() == 4);
  CHECK(star.log.lost == 3);
}

TEST_CASE("memory for each port is not shared") {
  // Two ports with 1,000 B each: of three packets at each, one is sent at once and one waits.
  SwitchSpec spec;
  spec.buffer = bytes(1'000);
  for (const BufferSharing sharing : {BufferSharing::per_port, BufferSharing::shared}) {
    spec.sharing = sharing;
    Star star(spec);
    for (std::int32_t from = 2; from < 5; ++from) star.send(star.path(from, 0), 1'000);
    for (std::int32_t from = 5; from < 8; ++from) star.send(star.path(from, 1), 1'000);
    star.queue.run();
    CHECK(star.log.arrived.size() == (sharing == BufferSharing::per_port ? 4 : 3));
  }
}

TEST_CASE("RED with equal thresholds marks what finds the queue at the threshold") {
  // Arrivals find 0 (idle), 0, 1,000, 2,000, 3,000, ... waiting: from 2,000 on they are marked, and
  // those that cannot be are dropped.
  SwitchSpec spec;
  spec.queue = QueueKind::red;
  spec.red_minimum = spec.red_maximum = bytes(2'000);
  Star marked(spec);
  for (std::int32_t from = 1; from < 8; ++from) marked.send(marked.path(from, 0), 1'000, true);
  marked.queue.run();
  CHECK(marked.log.arrived.size() == 7);
  CHECK(marked.log.marks == 4);
  Star dropped(spec);
  for (std::int32_t from = 1; from < 8; ++from) dropped.send(dropped.path(from, 0), 1'000);
  dropped.queue.run();
  CHECK(dropped.log.arrived.size() == 3);
  CHECK(dropped.log.lost == 4);
}

TEST_CASE("a link that goes down loses what waits for it") {
  Star star({});
  const PathIndex path = star.path(0, 1);
  for (int i = 0; i < 3; ++i) star.send(path, 1'000);
  star.fabric.set_bandwidth(static_cast<LinkIndex>(star.topology.egress_link(0, {0}, 0)), {});
  star.send(path, 1'000);
  star.queue.run();
  CHECK(star.log.arrived.size() == 1);  // that was on the wire
  CHECK(star.log.lost == 3);
}

TEST_CASE("a series of peaks merges intervals when it outgrows them") {
  PeakSeries series;
  series.set(Time{microseconds(3)}, 5);
  series.set(Time{microseconds(4)}, 0);
  series.set(Time{microseconds(127)}, 7);
  CHECK(series.interval() == microseconds(1));
  series.set(Time{microseconds(128)}, 2);  // the 129th microsecond: intervals of two
  CHECK(series.interval() == microseconds(2));
  CHECK(series.peaks()[1] == 5);
  CHECK(series.peaks()[2] == 0);
  CHECK(series.peaks()[63] == 7);
  CHECK(series.peaks()[64] == 2);
  CHECK(series.most() == 7);
}

TEST_CASE("a series has what lasts in each interval until it changes") {
  PeakSeries series;
  series.set(Time{nanoseconds(1'500)}, 9);
  series.set(Time{microseconds(4)}, 3);  // 9 lasted to the end of the fourth microsecond
  series.set(Time{nanoseconds(5'500)}, 0);
  CHECK(series.peaks() == std::vector<std::int64_t>{0, 9, 9, 9, 3, 3});
}

TEST_CASE("a watched queue tells what waited in it over time") {
  // Three packets of 12,500 B (1 us at 100 Gb/s) come to the switch at 1.5 us. One goes on at once,
  // two wait; the second goes at 2.5, the third at 3.5 us.
  Star probe({});
  SwitchSpec spec;
  spec.watched = {static_cast<LinkIndex>(probe.topology.switch_to_npu_link(0, {1}))};
  Star star(spec);
  for (const std::int32_t from : {0, 2, 3}) star.send(star.path(from, 1), 12'500);
  star.queue.run();
  const PacketStatistics statistics = star.fabric.statistics();
  REQUIRE(statistics.depths.size() == 1);
  CHECK(statistics.depths[0].link == spec.watched[0]);
  CHECK(statistics.depths[0].interval == microseconds(1));
  CHECK(statistics.depths[0].peaks == std::vector<std::int64_t>{0, 25'000, 25'000, 12'500});
  // The same of the whole switch, whose only queue it is.
  REQUIRE(statistics.switches.size() == 1);
  CHECK(statistics.switches[0].peaks == statistics.depths[0].peaks);
  // 25,000 B for 1 us, 12,500 B for 1 us, and nothing for the rest of 5 us: the last packet crosses
  // its link from 3.5 us on, and the run ends when it is there.
  REQUIRE(statistics.depth_times.size() == 2);  // of the one class, and of all
  for (const DepthTimes& depth : statistics.depth_times) {
    CHECK(depth.link == spec.watched[0]);
    REQUIRE(depth.times.size() == 26);
    Duration sum;
    for (std::size_t i = 0; i < depth.times.size(); ++i) {
      sum += depth.times[i];
      if (i > 0) CHECK(depth.times[i] == microseconds(i == 12 || i == 25 ? 1 : 0));
    }
    CHECK(sum == star.queue.now() - Time{});
  }
  CHECK(statistics.depth_times[0].priority == 0);
  CHECK(statistics.depth_times[1].priority == DepthTimes::all_classes);
}

}  // namespace
}  // namespace orrery
