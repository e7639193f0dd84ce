// NSCC by hand: 100 Gb/s and 12 us, so that BDP = 150,000 B, scale 1, largest window 225,000 B;
// target 6 us, whose scale is a half; packets of 4,000 B. The mean of the delay is the last one.
#include "network/transport/nscc_control.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

struct Sender {
  explicit Sender(std::optional<Duration> target = microseconds(6), bool trimming = true,
                  double weight = 1) {
    spec.delay_weight = weight;
    spec.target = target;
    spec.trimming = trimming;
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
  // Unmarked and late: 5 packets in a round trip, 5 x 4,000 x 4,000 for each acknowledgement. With
  // the two before, six more make eight packets, which is when they count.
  for (int i = 0; i < 5; ++i) one.ack(15, 4'000, 6, false);
  CHECK(one.window() == Approx(135'600));
  one.ack(15, 4'000, 6, false);
  const double fair = 135'600 + 6 * 80e6 / 135'600;
  CHECK(one.window() == Approx(fair));
  // Unmarked and half as late as the target: 4 packets x 1/2 (target) x 1/2 (delay) = 1.
  for (int i = 0; i < 8; ++i) one.ack(16, 4'000, 3, false);
  CHECK(one.window() == Approx(fair + 8 * 16e6 / fair));
}

TEST_CASE("what is late and unmarked counts as a quarter of the round trip in the mean delay") {
  // The mean takes half of the newest: 3 / 2 = 1.5 us, and (24 + 1.5) / 2 = 12.75 us with the next,
  // which is marked: 225,000 x (1 - 0.8 (12.75 - 6) / 12.75). Then come 5 packets for a window, of
  // the first answer, and eta.
  Sender one(microseconds(6), true, 0.5);
  one.ack(1, 4'000, 12, false);
  one.ack(12, 4'000, 24, true);
  const double less = 225'000 * (1 - 0.8 * 6.75 / 12.75);
  CHECK(one.window() == Approx(less + 80e6 / less + 600));
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

TEST_CASE(
    "quick adapt: what got through is the window, if it is little and something was trimmed") {
  Sender one;
  one.control->sent(Time{}, bytes(46'000));  // 50,000 B are on their way
  one.ack(12, 4'000, 3, false);              // the first answer: from here to 12 + 12 + 6 = 30 us
  one.control->trimmed(Time{} + microseconds(17), bytes(4'000));
  CHECK(one.window() == Approx(221'000));
  one.ack(29, 4'000, 3, false);
  CHECK(one.window() > 221'000);
  // 30 us: 4,000 and 4,000 B got through, less than 225,000 / 8. Of 50,000 B 34,000 are on their
  // way.
  one.ack(30, 4'000, 3, false);
  CHECK(one.window() == Approx(8'000));
  // Their marks and trims say nothing new: 4,000 + 4,000 B.
  one.ack(43, 4'000, 12, true);
  one.control->trimmed(Time{} + microseconds(43), bytes(4'000));
  CHECK(one.window() == Approx(8'000));
  // What comes unmarked lets it grow: a packet for each window, 4,000 x 26,000 / 8,000, and eta.
  one.ack(44, 26'000, 3, false);
  CHECK(one.window() == Approx(8'000 + 13'000 + 600));
  // 34,000 B came since: marks count again.
  one.ack(45, 4'000, 12, true);
  CHECK(one.window() == Approx(21'600 * 0.6));
}

TEST_CASE("the target without one in the file: 3/4 of the round trip, all of it without trimming") {
  // 10 us are more than 9: 5 packets for each window. They are less than 12: 4 packets x 1 - 10/12.
  // A marked and late packet made room: 225,000 x (1 - 0.8 (24 - 9) / 24) or (24 - 12) / 24, and
  // eta.
  for (const bool trimming : {true, false}) {
    Sender one({}, trimming);
    one.ack(12, 4'000, 24, true);
    const double before = 225'000 * (1 - 0.8 * (trimming ? 15.0 : 12.0) / 24) + 600;
    CHECK(one.window() == Approx(before));
    one.ack(13, 32'000, 10, false);
    const double packets = trimming ? 5 : 4.0 / 6;
    CHECK(one.window() == Approx(before + packets * 4'000 * 32'000 / before));
  }
}

TEST_CASE("where switches do not trim, a delay of four targets is an alarm") {
  // The period of the first answer ends at 12 + 12 + 12 = 36 us: 8,000 B got through. 48.1 us are
  // more than four times 12.
  for (const bool trimming : {true, false}) {
    Sender one({}, trimming);
    one.ack(12, 4'000, 3, false);
    one.ack(30, 4'000, 3, false);
    one.ack(36, 4'000, 48.1, false);
    CHECK((one.window() == Approx(8'000)) == !trimming);
  }
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
