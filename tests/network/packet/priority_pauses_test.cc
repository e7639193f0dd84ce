// Pauses without queues: a wire that keeps the frames, so that a test decides which arrive.
#include "network/packet/priority_pauses.h"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "network/packet/headroom.h"

namespace orrery {
namespace {

struct FramesKept final : PauseWire {
  explicit FramesKept(EventQueue& clock) : queue(clock) {}
  void send_frame(LinkIndex over, PauseFrame frame) override {
    frames.push_back({queue.now() - Time{}, over, frame.pause});
  }
  void pause_changed(LinkIndex, ClassIndex, bool paused) override {
    changes.emplace_back(queue.now() - Time{}, paused);
  }
  void watchdog_barks(LinkIndex, ClassIndex) override {}

  struct Frame {
    Duration at;
    LinkIndex over = 0;
    bool pause = false;
    bool operator==(const Frame&) const = default;
  };
  EventQueue& queue;
  std::vector<Frame> frames;
  std::vector<std::pair<Duration, bool>> changes;  // paused?
};

// A switch with two NPUs, whose links have 100 Gb/s: a pause of 65,535 quanta of 64 B lasts
// 4,194,240 B x 80 ps = 335,539.2 ns. Frames act after 100 ns.
struct TwoNpusOfASwitch {
  TwoNpusOfASwitch()
      : topology(TopologySpec{
            {{"", LevelKind::switched, 2, gigabits_per_second(100), {}, Scope::scale_out}}}),
        up(static_cast<LinkIndex>(topology.egress_link(0, {1}, 0))),
        down(static_cast<LinkIndex>(topology.switch_to_npu_link(0, {1}))),
        wire(queue) {
    spec.pfc.response = nanoseconds(100);
    spec.pfc.watchdog = milliseconds(1'000);
    spec.port_reserve = {};
    PacketClass data;
    data.priority = 3;
    data.lossless = true;
    data.alpha = 1;
    data.headroom = bytes(100'000);
    classes = {data};
  }

  EventQueue queue;
  Topology topology;
  LinkIndex up, down;
  SwitchSpec spec;
  std::vector<PacketClass> classes;
  FramesKept wire;
};

constexpr Duration quanta = picoseconds(335'539'200), response = nanoseconds(100);

TEST_CASE("a pause that nobody repeats expires after its quanta") {
  TwoNpusOfASwitch one;
  PriorityPauses pauses(one.queue, one.topology, one.spec, one.classes, one.wire);
  // The frame comes from the switch at 1 us, so the link to the switch stops.
  one.queue.schedule(microseconds(1), [&] { pauses.frame_arrived(one.down, {0, true}); });
  one.queue.run();
  using Changes = std::vector<std::pair<Duration, bool>>;
  const Duration acts = microseconds(1) + response;
  CHECK(one.wire.changes == Changes{{acts, true}, {acts + quanta, false}});
  REQUIRE(pauses.statistics().size() == 1);
  CHECK(pauses.statistics()[0].link == one.up);
  CHECK(pauses.statistics()[0].time == quanta);
}

TEST_CASE("a pause that is repeated lasts from the last frame on, and counts once") {
  TwoNpusOfASwitch one;
  PriorityPauses pauses(one.queue, one.topology, one.spec, one.classes, one.wire);
  for (const Duration at : {microseconds(1), microseconds(200)})
    one.queue.schedule(at, [&] { pauses.frame_arrived(one.down, {0, true}); });
  one.queue.run();
  REQUIRE(one.wire.changes.size() == 2);
  CHECK(one.wire.changes[1] == std::pair(microseconds(200) + response + quanta, false));
  CHECK(pauses.statistics()[0].count == 1);
}

TEST_CASE("a receiver repeats its pause at half of the quanta for as long as it holds packets") {
  // Memory for one packet beside the headroom: the first one, half of it and more, is above the
  // threshold (alpha 1) and pauses. It leaves after 400 us: frames at 0, 167.7696 and 335.5392 us,
  // and the one that ends the pause.
  TwoNpusOfASwitch one;
  PriorityPauses pauses(one.queue, one.topology, one.spec, one.classes, one.wire);
  SwitchMemory memory({2}, bytes(4'178), one.spec);
  REQUIRE(pauses.admit(one.up, 0, bytes(4'178), memory));
  one.queue.schedule(microseconds(400), [&] { pauses.release(one.up, 0, bytes(4'178), memory); });
  one.queue.run();
  using Frames = std::vector<FramesKept::Frame>;
  const Duration half{quanta.value / 2};
  CHECK(one.wire.frames == Frames{{Duration{}, one.down, true},
                                  {half, one.down, true},
                                  {half * 2, one.down, true},
                                  {microseconds(400), one.down, false}});
}

}  // namespace
}  // namespace orrery
