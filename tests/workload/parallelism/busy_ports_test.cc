// Two exchanges of different groups on the ports of a rank, by hand.
#include "workload/parallelism/busy_ports.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

Duration us(std::int64_t number) { return microseconds(number); }

PortUse use(std::int64_t time, std::vector<Duration> at_ports) {
  return {us(time), PortTimes(std::move(at_ports))};
}

// Both need all of it: 10 us of work each are done after 20.
TEST_CASE("two exchanges that need a whole port take turns at half its rate") {
  BusyPorts ports(2);
  const auto a = ports.begin(0, use(10, {us(10)}), {});
  const auto b = ports.begin(1, use(10, {us(10)}), {});
  CHECK(ports.end_of(a) == us(20));
  CHECK(ports.end_of(b) == us(20));
}

// From 5 us on both have half of the port. b's 2 us of work take 4; a has done 5 + 2 of its 10
// then, and is done after 12, as much as both need.
TEST_CASE("a short exchange delays a long one by its own work") {
  BusyPorts ports(2);
  const auto a = ports.begin(0, use(10, {us(10)}), {});
  const auto b = ports.begin(1, use(2, {us(2)}), us(5));
  CHECK(ports.end_of(b) == us(9));
  CHECK(ports.end_of(a) == us(12));
  CHECK(ports.idle(us(12)));
}

// a needs 0.4 of the port, which is less than half: b gets 0.6 of the 0.9 that it needs. After
// 12 us it has done 8 of them, and alone it takes 4 more.
TEST_CASE("what needs less than an equal share is not slowed down") {
  BusyPorts ports(2);
  const auto a = ports.begin(0, use(12, {us(0), nanoseconds(4800)}), {});
  const auto b = ports.begin(1, use(12, {us(0), nanoseconds(10800)}), {});
  CHECK(ports.end_of(a) == us(12));
  CHECK(ports.end_of(b) == us(16));
}

TEST_CASE("exchanges of one group follow each other, and other ports do not count") {
  BusyPorts ports(2);
  const auto a = ports.begin(0, use(10, {us(10)}), {});
  const auto c = ports.begin(0, use(10, {us(10)}), us(1));
  const auto b = ports.begin(1, use(15, {us(0), us(15)}), us(1));
  CHECK_FALSE(ports.idle(us(2)));
  CHECK(ports.end_of(a) == us(10));
  CHECK(ports.end_of(b) == us(16));
  CHECK(ports.end_of(c) == us(20));
}

}  // namespace
}  // namespace orrery
