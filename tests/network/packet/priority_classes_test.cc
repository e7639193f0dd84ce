// Classes, ECN ramps and priority flow control by hand. Star of 100 Gb/s (80 ps a byte).
#include <catch2/catch.hpp>

#include <vector>

#include "network/packet/headroom.h"
#include "network/packet/packet_fabric.h"

namespace orrery {
namespace {

struct ClassLog final : PacketOwner {
  explicit ClassLog(EventQueue& clock) : queue(clock) {}
  void packet_arrived(PacketIndex packet, bool marked) override {
    arrived.emplace_back(packet, queue.now() - Time{});
    marks += marked;
  }
  void packet_lost(PacketIndex) override { ++lost; }
  void packet_left(PacketIndex) override {}
  void pause_lasts(const LastingPause& pause) override { lasting.push_back(pause); }

  EventQueue& queue;
  std::vector<std::pair<PacketIndex, Duration>> arrived;
  std::vector<LastingPause> lasting;
  int lost = 0, marks = 0;
};

constexpr std::uint32_t full = 4'178;  // 4,096 B of data
constexpr Duration full_time = picoseconds(4'178 * 80);

struct ClassStar {
  explicit ClassStar(const SwitchSpec& spec, int npus = 9, Duration latency = {})
      : topology({{{"", LevelKind::switched, npus, gigabits_per_second(100), latency,
                    Scope::scale_out}}}),
        log(queue),
        fabric(queue, topology, spec, {}, 1, log) {}

  LinkIndex up(std::int32_t npu) {
    return static_cast<LinkIndex>(topology.egress_link(0, {npu}, 0));
  }
  LinkIndex down(std::int32_t npu) {
    return static_cast<LinkIndex>(topology.switch_to_npu_link(0, {npu}));
  }
  PacketIndex send(std::int32_t from, std::int32_t to, std::uint32_t size = full,
                   std::uint8_t priority = 3, bool can_be_marked = false) {
    const std::vector<LinkIndex> links{up(from), down(to)};
    const PacketIndex packet = fabric.allocate();
    fabric.send(packet, {.path = fabric.add_path(links),
                         .wire_bytes = size,
                         .can_be_marked = can_be_marked,
                         .priority = priority});
    return packet;
  }
  // When the class of the NPU's link stops; never: Time::never().
  Time first_pause(std::int32_t npu) {
    while (queue.run_one())
      if (fabric.paused(up(npu), 3)) return queue.now();
    return Time::never();
  }
  std::uint64_t pauses(std::int32_t npu) {
    for (const PauseStatistics& row : fabric.statistics().pauses)
      if (row.link == up(npu)) return row.count;
    return 0;
  }

  EventQueue queue;
  Topology topology;
  ClassLog log;
  PacketFabric fabric;
};

// Lossless priority 3, and 6 above it; `shared` bytes of memory that ports share.
SwitchSpec lossless(Bytes shared, int links = 9) {
  SwitchSpec spec;
  spec.port_reserve = {};
  spec.largest_packet = bytes(full);
  spec.pfc.response = Duration{};
  PacketClass data, control;
  data.priority = 3;
  data.lossless = true;
  data.headroom = bytes(100'000);
  control.priority = 6;
  spec.classes = {data, control};
  spec.buffer = shared + bytes(100'000) * links;
  return spec;
}

TEST_CASE("strict priority: the higher class first, but never within a packet") {
  // At 334.24 ns (a full packet) 1 and 2 meet at the switch with two packets each; a third source
  // sends priority 6 so that it comes 100 ns later. One packet is being sent; 6 is next.
  ClassStar star(lossless(bytes(1'000'000)));
  const PacketIndex first = star.send(1, 0), second = star.send(2, 0);
  star.queue.schedule(nanoseconds(100), [&] { star.send(3, 0, full, 6); });
  star.queue.run();
  REQUIRE(star.log.arrived.size() == 3);
  CHECK(star.log.arrived[0] == std::pair(first, full_time * 2));
  CHECK(star.log.arrived[2] == std::pair(second, full_time * 4));
}

TEST_CASE("deficit-weighted round robin shares a port by weight") {
  // Two sources keep a port busy with priorities 3 (weight 3) and 6 (weight 1): of the first 40
  // packets behind those that met an idle port, three quarters are of 3.
  SwitchSpec spec = lossless(bytes(100'000'000));
  spec.scheduler = PortScheduler::dwrr;
  spec.classes[0].weight = 3;
  ClassStar star(spec);
  std::vector<bool> is_three;
  for (int i = 0; i < 100; ++i)
    for (const std::uint8_t priority : {std::uint8_t{3}, std::uint8_t{6}}) {
      const PacketIndex packet = star.send(priority, 0, full, priority);
      is_three.resize(packet + 1);
      is_three[packet] = priority == 3;
    }
  star.queue.run();
  int threes = 0;
  for (int i = 4; i < 44; ++i) threes += is_three[star.log.arrived[i].first] ? 1 : 0;
  CHECK(threes == Approx(30).margin(3));
}

TEST_CASE("a ramp marks packets that leave by what waits behind them") {
  // Eight packets meet at a port; the first finds it idle. The others leave 6, 5, .. 0 packets
  // behind: above the maximum of 3 packets 6, 5 and 4 are marked; at 3 and below, with minimum
  // and maximum equal, none. Per Gb/s the same: 4,178 x 3 / 100 = 125.34: 125 B make 12,500 B, less
  // than 3 packets (12,534), so that one is marked too.
  SwitchSpec spec = lossless(bytes(1'000'000));
  spec.classes[0].ecn = EcnRamp{.minimum = bytes(3 * full), .maximum = bytes(3 * full)};
  ClassStar star(spec);
  for (int from = 1; from < 9; ++from) star.send(from, 0, full, 3, true);
  star.queue.run();
  CHECK(star.log.marks == 3);
  spec.classes[0].ecn = EcnRamp{.minimum = bytes(125), .maximum = bytes(125), .per_gigabit = true};
  ClassStar scaled(spec);
  for (int from = 1; from < 9; ++from) scaled.send(from, 0, full, 3, true);
  scaled.queue.run();
  CHECK(scaled.log.marks == 4);
}

TEST_CASE("the first pause comes when each input holds its share of the memory") {
  // n senders at line rate r, one output, shared memory S: an input holds q when q = alpha (S - n
  // q), so q = alpha S / (1 + n alpha), and it holds r (1 - 1/n) more in each second. S = 4 MB,
  // alpha 1/8: n = 2: 400,000 B after 64.0 us; n = 8: 250,000 B after 22.857 us, each within a
  // packet. Then a frame takes 84 B of the idle reverse link (6.72 ns).
  for (const auto& [senders, microsecond] : {std::pair(2, 64.0), std::pair(8, 22.857)}) {
    ClassStar star(lossless(bytes(4'000'000)));
    for (int i = 0; i < 400; ++i)
      for (int from = 1; from <= senders; ++from) star.send(from, 0);
    const Time paused = star.first_pause(1);
    const double since_they_met = static_cast<double>((paused - Time{} - full_time).value) * 1e-6;
    CHECK(since_they_met == Approx(microsecond + 0.00672).margin(0.335));
  }
}

TEST_CASE("each pause and its end is kept, up to a limit") {
  SwitchSpec spec = lossless(bytes(1'000'000));
  spec.pause_log = 1'000'000;
  const auto run = [](ClassStar& star) {
    for (int i = 0; i < 300; ++i)
      for (const std::int32_t from : {1, 2, 3}) star.send(from, 0);
    star.queue.run();
    return star.fabric.statistics();
  };
  ClassStar star(spec);
  const PacketStatistics statistics = run(star);
  REQUIRE(statistics.pauses.size() == 3);
  for (const PauseStatistics& row : statistics.pauses) {
    Duration sum;
    std::uint64_t count = 0;
    Time begun;
    bool paused = false;
    for (const PauseEvent& event : statistics.pause_events) {
      if (event.link != row.link) continue;
      CHECK(event.priority == 3);
      CHECK(event.paused != paused);
      paused = event.paused;
      if (paused) {
        begun = event.at;
        ++count;
      } else {
        sum += event.at - begun;
      }
    }
    CHECK(count == row.count);
    CHECK(sum == row.time);
  }
  spec.pause_log = 3;
  ClassStar limited(spec);
  CHECK(run(limited).pause_events.size() == 3);
}

TEST_CASE("the time line of a pause and its end") {
  // NPU 1 sends to 0, whose link is nearly stopped, over a cable of 1 us; alpha is so small that
  // the second packet, the first that waits, pauses. It comes at 2 x 334.24 + 1,000 ns = 1,668.48.
  // The frame meets an idle link: 6.72 ns, 1,000 ns, 100 ns response: 2,775.2 ns. By then packet 8
  // has begun at 7 x 334.24 = 2,339.68 (the ninth would at 2,673.92, so it has begun as well):
  // nine packets have left.
  SwitchSpec spec = lossless(bytes(1'000'000));
  spec.classes[0].alpha = 1e-6;
  spec.pfc.response = nanoseconds(100);
  spec.pfc.resume_offset = {};
  spec.pfc.watchdog = milliseconds(100);
  ClassStar star(spec, 9, microseconds(1));
  star.fabric.set_bandwidth(star.down(0), Bandwidth{1'000'000});  // 1 B/us
  for (int i = 0; i < 20; ++i) star.send(1, 0);
  const Time paused = star.first_pause(1);
  CHECK(paused - Time{} == full_time * 2 + nanoseconds(2'100) + picoseconds(84 * 80));
  CHECK(star.fabric.statistics().links[star.up(1)].packets == 9);
  // The first packet takes 4,178 us; at its end one waits less, and so on: the class goes on when
  // none of the eight that wait is left: after 8 packets more than the first: at 1,334.24 ns + 8 x
  // 4,178 us the last one starts. Then again frame, cable, response. The pause was told again
  // before it expired (after 335.5 us).
  while (star.fabric.paused(star.up(1), 3)) REQUIRE(star.queue.run_one());
  CHECK(star.queue.now() - Time{} == full_time + microseconds(1) + microseconds(8 * 4'178) +
                                         picoseconds(84 * 80) + nanoseconds(1'100));
  CHECK(star.pauses(1) == 1);
}

TEST_CASE("headroom by the formula holds the worst case, and a packet less does not") {
  // 2 r L + 3 MTU + 84 B + r t. Worst: the packet that crosses the threshold is in the headroom;
  // when it comes, the reverse link has just begun a full packet, and when the pause acts the
  // sender has just begun one. The shared part is one packet, NPU 3 fills it before NPU 1 begins,
  // and the output stands still: the threshold is 0, so the first is so. NPU 2 sends to NPU 1 in
  // step with it, so the second is so. The third: 2 L + 84 B + t is a multiple of a packet's time
  // and 1 ps. L = 1 us, 84 B are 6.72 ns: 7 x 334.24 = 2,339.68 ns, so t = 332.961 ns. Ten packets
  // of NPU 1 have begun when the pause acts.
  //
  // With a shared part of two packets the one that crosses is there, and nine are in the headroom.
  SwitchSpec spec = lossless(bytes(full));
  spec.classes[0].alpha = 1e-6;
  spec.pfc.response = full_time * 7 - nanoseconds(2'000) - picoseconds(84 * 80) + picoseconds(1);
  spec.pfc.watchdog = milliseconds(100);
  spec.classes[0].headroom.reset();
  const Link link{.from = {1},
                  .to = {9},
                  .level = 0,
                  .bandwidth = gigabits_per_second(100),
                  .latency = microseconds(1)};
  const Bytes formula = headroom_of(spec.classes[0], spec, link);
  // 12.5 B/ns x 2,332.961 ns = 29,162.01, rounded up, 12,534 and 84.
  CHECK(formula == bytes(29'163 + 12'534 + 84));
  CHECK(formula == bytes(full) * 10 + bytes(1));
  struct Case {
    int shared, headroom, lost;  // packets
  };
  for (const auto& [shared, headroom, lost] :
       {Case{1, 10, 0}, Case{1, 9, 1}, Case{2, 9, 0}, Case{2, 8, 1}}) {
    spec.classes[0].headroom = bytes(full) * headroom;
    spec.buffer = bytes(full) * (shared + headroom * 9);
    ClassStar star(spec, 9, microseconds(1));
    star.fabric.set_bandwidth(star.down(0), Bandwidth{1'000});
    star.send(3, 0);
    star.send(3, 0);
    while (star.queue.now() < Time{} + full_time * 2 + microseconds(1)) star.queue.run_one();
    for (int i = 0; i < 30; ++i) {
      star.send(2, 1);
      star.send(1, 0);
    }
    star.first_pause(1);
    star.queue.run_one();
    for (int i = 0; i < 2'000 && star.queue.pending() > 0; ++i) star.queue.run_one();
    CHECK(star.log.lost == lost);
  }
}

TEST_CASE("a paused class does not hold back another one") {
  SwitchSpec spec = lossless(bytes(1'000'000));
  spec.classes[0].alpha = 1e-6;
  spec.pfc.watchdog = milliseconds(100);
  ClassStar star(spec);
  star.fabric.set_bandwidth(star.down(0), Bandwidth{1'000});
  for (int i = 0; i < 10; ++i) star.send(1, 0);
  REQUIRE(star.first_pause(1) < Time::never());
  const Time now = star.queue.now();
  const PacketIndex control = star.send(1, 2, 86, 6);
  while (star.log.arrived.empty() || star.log.arrived.back().first != control)
    REQUIRE(star.queue.run_one());
  // At most the packet that is being sent before it.
  CHECK(star.queue.now() - now <= full_time + picoseconds(2 * 86 * 80));
}

TEST_CASE("a pause that lasts is a storm with its root, or a deadlock with its cycle") {
  // The link to NPU 0 nearly stands still: its senders wait for it for longer than 10 ms.
  SwitchSpec spec = lossless(bytes(1'000'000));
  spec.classes[0].alpha = 1e-6;
  ClassStar star(spec);
  star.fabric.set_bandwidth(star.down(0), Bandwidth{1});
  for (int i = 0; i < 10; ++i) star.send(1, 0);
  for (int i = 0; i < 10'000 && star.log.lasting.empty(); ++i) star.queue.run_one();
  REQUIRE(star.log.lasting.size() == 1);
  CHECK_FALSE(star.log.lasting[0].cycle);
  REQUIRE(star.log.lasting[0].chain.size() == 2);
  CHECK(star.log.lasting[0].chain[0].link == star.up(1));
  CHECK(star.log.lasting[0].chain[1].link == star.down(0));
}

}  // namespace
}  // namespace orrery
