// NSCC by hand: 100 Gb/s and 12 us, so that BDP = 150,000 B, scale 1, largest window 225,000 B;
// target 6 us, whose scale is a half; packets of 4,000 B. The mean of the delay is the last one.
#include "network/transport/nscc_control.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

struct Sender {
  Sender() {
    spec.delay_weight = 1;
    control = make_nscc_control(spec, {.line = gigabits_per_second(100),
                                       .round_trip = microseconds(12),
                                       .packet = bytes(4'000),
                                       .hops = 2});
    control->sent(Time{}, bytes(4'000));
  }
  void ack(double at_us, std::int64_t newly, double delay_us, bool marked,
           std::int64_t sent = 1'000'000'000, std::int32_t penalty = 0) {
    acknowledged += newly;
    control->acknowledged(
        {.now = Time{} + nanoseconds(static_cast<std::int64_t>(at_us * 1'000)),
         .newly = bytes(newly),
         .acknowledged = bytes(acknowledged),
         .sent = bytes(sent),
         .round_trip = nanoseconds(static_cast<std::int64_t>(12'000 + delay_us * 1'000)),
         .marked = marked,
         .penalty = penalty});
  }
  double window() const { return control->window(); }

  NsccSpec spec;
  std::unique_ptr<CongestionControl> control;
  std::int64_t acknowledged = 0;
};

TEST_CASE("the four cases of mark and delay") {
  Sender one;
  CHECK(one.window() == Approx(225'000));
  // Marked and late: 1 - 0.8 (12 - 6) / 12 = 0.6, so 135,000. A round trip is over: 0.15 packets.
  one.ack(12, 4'000, 12, true);
  CHECK(one.window() == Approx(135'600));
  // Once in a round trip.
  one.ack(13, 4'000, 12, true);
  CHECK(one.window() == Approx(135'600));
  // Marked and not late: nothing.
  one.ack(14, 4'000, 3, true);
  CHECK(one.window() == Approx(135'600));
  // Unmarked and late: a packet in a round trip, 4,000 x 4,000 for each acknowledgement. With the
  // two before, six more make eight packets, which is when they count.
  for (int i = 0; i < 5; ++i) one.ack(15, 4'000, 6, false);
  CHECK(one.window() == Approx(135'600));
  one.ack(15, 4'000, 6, false);
  const double fair = 135'600 + 6 * 16e6 / 135'600;
  CHECK(one.window() == Approx(fair));
  // Unmarked and half as late as the target: 4 packets x 1/2 (target) x 1/2 (delay), as much.
  for (int i = 0; i < 8; ++i) one.ack(16, 4'000, 3, false);
  CHECK(one.window() == Approx(fair + 8 * 16e6 / fair));
}

TEST_CASE("0.15 packets in each round trip, also if increases counted within it") {
  Sender one;
  one.ack(12, 4'000, 12, true);
  CHECK(one.window() == Approx(135'600));
  // Eight packets at 20 us let increases count, of which there are none. The round trip ends at 24.
  for (int i = 0; i < 8; ++i) one.ack(20, 4'000, 3, true);
  CHECK(one.window() == Approx(135'600));
  one.ack(24, 4'000, 3, true);
  CHECK(one.window() == Approx(136'200));
}

TEST_CASE(
    "a path that stays clear for a window lets it grow fast, and a trimmed packet costs its size") {
  Sender one;
  one.ack(12, 4'000, 12, true);
  one.ack(12.1, 140'000, 0.5, false);  // more than a window: a quarter of it
  CHECK(one.window() == Approx(135'600 + 35'000));
  one.control->trimmed(Time{} + microseconds(13), bytes(4'000));
  CHECK(one.window() == Approx(166'600));
  // So does what is lost, found by a timeout or not: a packet of 4,000 B each.
  one.control->lost(Time{} + microseconds(14), false);
  one.control->lost(Time{} + microseconds(120), true);
  CHECK(one.window() == Approx(158'600));
}

TEST_CASE("quick adapt: what got through is the window, if it is little and much was trimmed") {
  Sender one;
  one.ack(17, 4'000, 3, false);
  one.control->trimmed(Time{} + microseconds(17), bytes(4'000));
  // 18 us: base and target are over. 4,000 and 4,000 B got through, less than 225,000 / 8.
  one.ack(18, 4'000, 3, false, 50'000);
  CHECK(one.window() == Approx(8'000));
  // What was then on its way says nothing new: 50,000 B were sent.
  one.ack(30.1, 4'000, 12, true, 60'000);
  const double grown = one.window();
  CHECK(grown == Approx(8'000 + 600));
  // The next that was sent later counts again.
  one.ack(31, 40'000, 12, true, 70'000);
  CHECK(one.window() == Approx(grown * 0.6));
}

TEST_CASE("a slow receiver's penalty: no more than is on its way, less a part of what came") {
  Sender one;
  // Marked and not late changes nothing by itself. 100,000 B were on their way when 4,096 of them
  // were acknowledged; 64/128 of 4,096 are 2,048. So 64 for a whole round trip halve the window.
  one.ack(1, 4'096, 3, true, 100'000, 64);
  CHECK(one.window() == Approx(100'000 - 2'048));
  // 120,000 - 4,096 are more than the window: 64/128 once more.
  one.ack(2, 4'096, 3, true, 120'000, 64);
  CHECK(one.window() == Approx(97'952 - 2'048));
  // None: the window stays. 127/128 of 4,096 are 4,064; 1/128 are 32.
  one.ack(3, 4'096, 3, true, 120'000, 0);
  CHECK(one.window() == Approx(95'904));
  one.ack(4, 4'096, 3, true, 120'000, 127);
  CHECK(one.window() == Approx(95'904 - 4'064));
  one.ack(5, 4'096, 3, true, 120'000, 1);
  CHECK(one.window() == Approx(91'840 - 32));
  // 40,000 B were sent, and 20,480 had come before these.
  one.ack(6, 4'096, 3, true, 40'000, 64);
  CHECK(one.window() == Approx(19'520 - 2'048));
}

TEST_CASE("nothing shrinks the window below a packet") {
  Sender one;
  for (int i = 0; i < 100; ++i) one.control->trimmed(Time{}, bytes(4'000));
  CHECK(one.window() == Approx(4'000));
}

}  // namespace
}  // namespace orrery
