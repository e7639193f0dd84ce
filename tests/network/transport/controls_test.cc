// Controls of RoCE against sequences worked out by hand from their papers.
#include "network/transport/congestion_control.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

namespace orrery {
namespace {

Time at(std::int64_t us) { return Time{} + microseconds(us); }
double gigabits(double bytes_per_second) { return bytes_per_second * 8e-9; }

std::unique_ptr<CongestionControl> make(const RoceSpec& spec, std::string_view name,
                                        const PathFacts& facts) {
  return find_roce_control(name)->make(spec, facts);
}

TEST_CASE("DCQCN: fast recovery after a notification, and alpha") {
  // SIGCOMM 2015, equations 1 and 2: line 40 Gb/s, g = 1/256. A CNP at 0 cuts by 1/2 (alpha = 1);
  // each 55 us then halve the way back to 40. The increase at 275 us is the fifth, the first
  // additive one, but the target cannot pass the line. Five times without a CNP leave alpha =
  // (255/256)^5 = 0.980620; the next CNP cuts to 39.375 (1 - 0.980620/2) = 20.0691 and leaves
  // alpha = 0.980620 x 255/256 + 1/256 = 0.980696.
  const auto control = make({}, "dcqcn", {.line = gigabits_per_second(40)});
  CHECK(gigabits(control->rate()) == Approx(40));
  CHECK(control->next_timer() == Time::never());
  control->notified(at(0));
  CHECK(gigabits(control->rate()) == Approx(20));
  double expected[] = {30, 35, 37.5, 38.75, 39.375};
  for (int i = 0; i < 5; ++i) {
    REQUIRE(control->next_timer() == at(55 * (i + 1)));
    control->timer(control->next_timer());
    CHECK(gigabits(control->rate()) == Approx(expected[i]));
  }
  control->notified(at(275));
  CHECK(gigabits(control->rate()) == Approx(20.0691).epsilon(1e-5));
  CHECK(control->congestion() == Approx(0.980696).epsilon(1e-6));
  // The new target is 39.375.
  control->timer(control->next_timer());
  CHECK(gigabits(control->rate()) == Approx((20.0691 + 39.375) / 2).epsilon(1e-5));
}

TEST_CASE("DCQCN: the byte counter raises too, and both together much") {
  // After a CNP at 40 Gb/s, whose line is 100: rate 50, target 100. Six increases by bytes: 75,
  // 87.5, 93.75, 96.875, then additive ones that the line caps. With a target below the line:
  // second CNP at once, at 50: alpha is 1 again, rate 25, target 50. 4 increases by bytes leave
  // 50 - 25/16 = 48.4375; the fifth and sixth raise the target by 0.04 each: 50.04, 50.08:
  // (48.4375 + 50.04) / 2 = 49.23875; (49.23875 + 50.08) / 2 = 49.659375. Five timers: the counts
  // are (1..5, 6), so they are additive: 50.12, .. 50.28; the sixth timer is above 5 in both:
  // hyper, by 0.2.
  RoceSpec spec;
  spec.dcqcn.byte_counter = bytes(1'000);
  const auto control = make(spec, "dcqcn", {.line = gigabits_per_second(100)});
  control->notified(at(0));
  control->notified(at(0));
  CHECK(gigabits(control->rate()) == Approx(25));
  for (int i = 0; i < 4; ++i) control->sent(at(1), bytes(1'000));
  CHECK(gigabits(control->rate()) == Approx(48.4375));
  control->sent(at(1), bytes(1'000));
  CHECK(gigabits(control->rate()) == Approx(49.23875));
  control->sent(at(1), bytes(500));
  CHECK(gigabits(control->rate()) == Approx(49.23875));  // not yet
  control->sent(at(1), bytes(500));
  double rate = 49.659375, target = 50.08;
  CHECK(gigabits(control->rate()) == Approx(rate));
  for (int i = 1; i <= 6; ++i) {
    control->timer(control->next_timer());
    target += i < 6 ? 0.04 : 0.2;
    rate = (rate + target) / 2;
    CHECK(gigabits(control->rate()) == Approx(rate));
  }
}

TEST_CASE("DCQCN: cuts and alpha with clocks of their own, and a target that is kept") {
  // As NIC firmware: g = 1/256, alpha each 1 us, cuts each 4 us, both from the first CNP on; the
  // target is kept until the rate rises; no byte counter. Line 100 Gb/s. r = 255/256.
  // CNP at 0: nothing is cut yet. CNPs at 1.5 and 2.5 us: alpha moves at 1 (r), 2 (r^2 + g), 3
  // (r^3 + g r + g) and 4 us (r (r^3 + g r + g)): 0.99218, and the rate is cut at 4 us by its half.
  const double g = 1.0 / 256, r = 1 - g;
  RoceSpec spec;
  spec.dcqcn.alpha_timer = microseconds(1);
  spec.dcqcn.timer = microseconds(300);
  spec.dcqcn.fast_recovery = 2;
  spec.dcqcn.byte_counter = {};
  spec.dcqcn.clamp_target = false;
  spec.dcqcn.decrease_interval = microseconds(4);
  const auto control = make(spec, "dcqcn", {.line = gigabits_per_second(100)});
  control->notified(at(0));
  CHECK(gigabits(control->rate()) == Approx(100));
  control->notified(Time{} + nanoseconds(1'500));
  control->notified(Time{} + nanoseconds(2'500));
  REQUIRE(control->next_timer() == at(4));
  control->timer(at(4));
  double alpha = r * (r * (r * r + g) + g);
  double rate = 100 * (1 - alpha / 2);
  CHECK(control->congestion() == Approx(alpha));
  CHECK(gigabits(control->rate()) == Approx(rate));
  // Two CNPs at 9 us count once: alpha moves five times without one, and at 12 us, where the next
  // cut is, three times, the first of them up. The target stays at 100.
  control->notified(at(9));
  control->notified(at(9));
  CHECK(control->next_timer() == at(12));
  control->timer(at(12));
  alpha = alpha * std::pow(r, 8) + g * r * r;
  rate *= 1 - alpha / 2;
  CHECK(control->congestion() == Approx(alpha));
  CHECK(gigabits(control->rate()) == Approx(rate));
  // 300 us later half of the way back to 100: no additive increase yet, and the line caps those.
  CHECK(control->next_timer() == at(312));
  control->timer(at(312));
  rate = (rate + 100) / 2;
  CHECK(gigabits(control->rate()) == Approx(rate));
  // A cut after it takes the target down. Without a CNP for 304 us alpha is below 0.4.
  control->notified(at(313));
  control->timer(control->next_timer());
  const double target = rate;
  rate = gigabits(control->rate());
  CHECK(rate < target);
  CHECK(rate > 0.8 * target);
  // First half of the way, then 0.04 and half, then twice 0.2 (hyper) and half.
  double raised = target;
  for (const double more : {0.0, 0.04, 0.2, 0.2}) {
    control->timer(control->next_timer());
    raised += more;
    rate = (rate + raised) / 2;
    CHECK(gigabits(control->rate()) == Approx(rate));
  }
}

// B T = 12.5 GB/s x 12 us = 150,000 B.
constexpr PathFacts hpcc_path{.line = gigabits_per_second(100),
                              .round_trip = microseconds(12),
                              .packet = bytes(1'000),
                              .hops = 2};

struct HpccLink {
  std::int64_t waiting, sent;
};

Acknowledgement with_hops(std::int64_t us, std::int64_t acknowledged, std::int64_t sent,
                          std::vector<HopTelemetry>& hops, HpccLink a, HpccLink b) {
  hops = {{0, bytes(a.waiting), bytes(a.sent), at(us), gigabits_per_second(100)},
          {1, bytes(b.waiting), bytes(b.sent), at(us), gigabits_per_second(100)}};
  return {.now = at(us),
          .newly = bytes(1'000),
          .acknowledged = bytes(acknowledged),
          .sent = bytes(sent),
          .round_trip = microseconds(12),
          .marked = false,
          .hops = hops};
}

TEST_CASE("HPCC: the fullest hop, one commit a round trip") {
  // SIGCOMM 2019, algorithm 1, eta 0.95, W_AI 80 B. Link a holds 75,000 B and sends at line rate
  // (150,000 B in 12 us), b holds nothing and sends half: U = max(0.5 + 1, 0.5) = 1.5.
  const auto control = make({}, "hpcc", hpcc_path);
  CHECK(control->window() == Approx(150'000));
  std::vector<HopTelemetry> hops;
  // The first acknowledgement has nothing to compare with.
  control->acknowledged(with_hops(0, 1'000, 150'000, hops, {75'000, 0}, {0, 0}));
  CHECK(control->window() == Approx(150'000));
  // 150,000 / (1.5 / 0.95) + 80, committed; the rate is the window in a round trip.
  control->acknowledged(with_hops(12, 2'000, 151'000, hops, {75'000, 150'000}, {0, 75'000}));
  CHECK(control->window() == Approx(95'080));
  CHECK(control->rate() == Approx(95'080 / 12e-6));
  // Twice the same within the round trip: both from what is committed. 95,080 x 0.95 / 1.5 + 80.
  control->acknowledged(with_hops(24, 3'000, 151'000, hops, {75'000, 300'000}, {0, 150'000}));
  CHECK(control->window() == Approx(60'297.333));
  control->acknowledged(with_hops(36, 4'000, 151'000, hops, {75'000, 450'000}, {0, 225'000}));
  CHECK(control->window() == Approx(60'297.333));
  // What answers a packet that was sent after the commit commits the next one.
  control->acknowledged(with_hops(48, 151'001, 200'000, hops, {75'000, 600'000}, {0, 300'000}));
  CHECK(control->window() == Approx(60'297.333));
  // After half a round trip with an empty link at half rate, U = (1.5 + 0.5) / 2 = 1:
  // 60,297.333 x 0.95 + 80.
  control->acknowledged(with_hops(54, 152'000, 200'000, hops, {0, 637'500}, {0, 337'500}));
  CHECK(control->window() == Approx(57'362.467));
  // And a whole one: U = 0.5, below eta: additive, from what is committed.
  control->acknowledged(with_hops(66, 153'000, 200'000, hops, {0, 712'500}, {0, 412'500}));
  CHECK(control->window() == Approx(60'377.333));
}

Acknowledgement answer(std::int64_t us, std::int64_t newly, Duration round_trip,
                       bool marked = false, std::int64_t acknowledged = 0, std::int64_t sent = 0) {
  return {.now = at(us),
          .newly = bytes(newly),
          .acknowledged = bytes(acknowledged),
          .sent = bytes(sent),
          .round_trip = round_trip,
          .marked = marked,
          .hops = {}};
}

TEST_CASE("TIMELY: by the gradient between two thresholds") {
  // SIGCOMM 2015, algorithm 1, line 10 Gb/s, segments of 64 kB, in Gb/s. 100 -> 110 us: the
  // difference is 0.875 x 10 = 8.75 us, the gradient 8.75 / 20 = 0.4375: 10 (1 - 0.8 x 0.4375) =
  // 6.5. Again 110: 0.125 x 8.75 / 20 = 0.0546875: 6.5 x 0.95625 = 6.215625. Then it falls: +0.01
  // four times, the fifth +0.05. Below 50 us +0.01; at 1 ms x (1 - 0.8 (1 - 500/1,000)) = 0.6.
  const auto control = make({}, "timely", {.line = gigabits_per_second(10)});
  const std::pair<int, double> steps[] = {
      {100, 10},      {110, 6.5},     {110, 6.215625}, {100, 6.225625}, {90, 6.235625},
      {80, 6.245625}, {70, 6.255625}, {60, 6.305625},  {40, 6.315625},  {1'000, 3.789375}};
  std::int64_t now = 0;
  for (const auto& [round_trip, rate] : steps) {
    control->acknowledged(answer(now += 50, 63'000, microseconds(1)));  // not yet a segment
    control->acknowledged(answer(now += 50, 1'000, microseconds(round_trip)));
    CHECK(gigabits(control->rate()) == Approx(rate));
  }
}

TEST_CASE("Swift: window by the delay against its target") {
  // SIGCOMM 2020, algorithm 1. Target 25 us + 2 hops of 1 us, no flow scaling; 1 GB/s x 10 us =
  // 10 packets of 1,000 B to begin with.
  RoceSpec spec;
  spec.swift.flow_scaling = {};
  const auto control = make(spec, "swift",
                            {.line = gigabytes_per_second(1),
                             .round_trip = microseconds(10),
                             .packet = bytes(1'000),
                             .hops = 2});
  CHECK(control->window() == Approx(10'000));
  control->acknowledged(answer(10, 1'000, microseconds(20)));  // + 1/10 packet
  CHECK(control->window() == Approx(10'100));
  control->acknowledged(answer(20, 2'000, microseconds(20)));  // + 2/10.1
  CHECK(control->window() == Approx(10'298.0198));
  control->acknowledged(answer(100, 1'000, microseconds(54)));  // x (1 - 0.8 x 27/54)
  CHECK(control->window() == Approx(6'178.8119));
  control->acknowledged(answer(110, 1'000, microseconds(54)));  // once a round trip
  CHECK(control->window() == Approx(6'178.8119));
  control->acknowledged(answer(200, 1'000, microseconds(270)));  // the round trip of now
  CHECK(control->window() == Approx(6'178.8119));
  control->acknowledged(answer(370, 1'000, microseconds(270)));  // 0.8 x 0.9, at most 0.5
  CHECK(control->window() == Approx(3'089.4059));
  control->lost(at(639), false);  // within the round trip of 270 us
  CHECK(control->window() == Approx(3'089.4059));
  control->lost(at(640), false);
  CHECK(control->window() == Approx(1'544.7030));
  control->lost(at(1'000), true);
  CHECK(control->window() == Approx(772.3515));
  control->acknowledged(answer(1'100, 1'000, microseconds(20)));  // below a packet: + 1
  CHECK(control->window() == Approx(1'772.3515));
}

TEST_CASE("Swift: small windows have a larger target") {
  // Section 3.5: fs_range 100 us, 0.1 .. 100 packets: alpha = 100 / (sqrt(10) - 0.1) = 32.655 us.
  // A window of 10 packets adds 32.655 (1/sqrt(10) - 1/10) = 7.061 us to 27: 34.06. 30 us raise it,
  // 38 us do not; with no scaling 30 us lower it.
  const PathFacts path{.line = gigabytes_per_second(1),
                       .round_trip = microseconds(10),
                       .packet = bytes(1'000),
                       .hops = 2};
  const auto up = make({}, "swift", path);
  up->acknowledged(answer(10, 1'000, microseconds(30)));
  CHECK(up->window() == Approx(10'100));
  const auto down = make({}, "swift", path);
  down->acknowledged(answer(10, 1'000, microseconds(38)));
  // x (1 - 0.8 (38 - 34.061) / 38)
  CHECK(down->window() == Approx(9'170.7).epsilon(1e-4));
}

TEST_CASE("DCTCP: once a window, by the share of marked bytes") {
  // SIGCOMM 2010, RFC 8257: g = 1/16, alpha 1 at first; 1 GB/s x 10 us = 10 packets of 1,000 B.
  const auto control = make({}, "dctcp",
                            {.line = gigabytes_per_second(1),
                             .round_trip = microseconds(10),
                             .packet = bytes(1'000),
                             .hops = 2});
  CHECK(control->window() == Approx(10'000));
  // The first acknowledgement ends a window without marks: alpha = 15/16. + 1,000 x 1/10.
  control->acknowledged(answer(10, 1'000, microseconds(10), false, 1'000, 10'000));
  CHECK(control->window() == Approx(10'100));
  CHECK(control->congestion() == Approx(0.9375));
  // 4,000 B marked: + 1,000 x 4,000 / 10,100; the window is not over.
  control->acknowledged(answer(15, 4'000, microseconds(10), true, 5'000, 15'000));
  CHECK(control->window() == Approx(10'496.0396));
  // 5,000 B not: + 476.370; alpha = 0.9375 x 0.9375 + 4/9 / 16 = 0.906684; x (1 - alpha / 2).
  control->acknowledged(answer(20, 5'000, microseconds(10), false, 10'000, 20'000));
  CHECK(control->congestion() == Approx(0.906684).epsilon(1e-6));
  CHECK(control->window() == Approx(5'998.15).epsilon(1e-5));
  // A whole window marked: + 1,000 x 10,000 / 5,998.15 = 1,667.18; alpha = 0.912516.
  control->acknowledged(answer(30, 10'000, microseconds(10), true, 20'000, 26'000));
  CHECK(control->congestion() == Approx(0.912516).epsilon(1e-6));
  CHECK(control->window() == Approx(7'665.33 * (1 - 0.456258)).epsilon(1e-5));
  control->lost(at(31), false);
  CHECK(control->window() == Approx(7'665.33 * (1 - 0.456258) / 2).epsilon(1e-5));
  control->lost(at(32), true);
  CHECK(control->window() == Approx(1'000));
}

}  // namespace
}  // namespace orrery
