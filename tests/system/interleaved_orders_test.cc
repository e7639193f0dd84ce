#include "system/rank/interleaved_orders.h"

#include <catch2/catch.hpp>

#include "core/units/range_error.h"

namespace orrery {
namespace {

std::vector<TimedStage> stages(std::int64_t count, std::int64_t sending, std::int64_t latency = 0) {
  return {{.count = count,
           .latency = nanoseconds(latency),
           .sending = nanoseconds(sending),
           .at_port = nanoseconds(sending),
           .on_link = nanoseconds(sending)}};
}

constexpr ChunkPlaces many = {32, 64}, one = {1, 64};

TEST_CASE("chunks that begin on different levels do not meet") {
  // 10 ns on each level, one after the other: 20 ns for both.
  const std::vector<PhasesOfOrder> orders = {{{0, 0, stages(1, 10)}, {1, 1, stages(1, 10)}},
                                             {{1, 3, stages(1, 10)}, {0, 2, stages(1, 10)}}};
  CHECK(time_of_orders(orders, {0, 1}, many) == nanoseconds(20));
}

TEST_CASE("stages of chunks on one level end in rounds") {
  // Three rounds of two messages of 10 ns; one by one, twice three messages.
  const std::vector<PhasesOfOrder> orders = {{{0, 0, stages(3, 10)}}};
  CHECK(time_of_orders(orders, {0, 0}, many) == nanoseconds(60));
  CHECK(time_of_orders(orders, {0, 0}, one) == nanoseconds(60));
  // Alone a stage takes its latency too.
  CHECK(time_of_orders({{{0, 0, stages(2, 4, 6)}}}, {0}, many) == nanoseconds(20));
}

TEST_CASE("a chunk of small messages is as late as those of large ones") {
  // Order 0 goes first, with three messages of 1 ns, where order 1 has three of 10 ns. It leaves
  // after 1 ns and after each further round of 11 ns, 23 in all. Then it goes on to level 1, for
  // 100 ns.
  const std::vector<PhasesOfOrder> orders = {{{0, 0, stages(3, 1)}, {1, 1, stages(1, 100)}},
                                             {{0, 0, stages(3, 10)}}};
  CHECK(time_of_orders(orders, {0, 1}, many) == nanoseconds(123));
  // One by one it does not wait: 3 + 100.
  CHECK(time_of_orders(orders, {0, 1}, one) == nanoseconds(103));
}

TEST_CASE("chunks that wait for a place begin one after the other") {
  // A stage of 10 ns, then one of 10 ns on level 1. Four chunks have left level 0 after 40 ns, each
  // 10 ns after the one before it, and level 1 is busy from 10 to 50 ns. So it is with two places.
  const std::vector<PhasesOfOrder> orders = {{{0, 0, stages(1, 10)}, {1, 1, stages(1, 10)}}};
  CHECK(time_of_orders(orders, {0, 0, 0, 0}, many) == nanoseconds(50));
  CHECK(time_of_orders(orders, {0, 0, 0, 0}, {2, 64}) == nanoseconds(50));
  // Of stages with 30 ns of latency, two at a time: 0 - 40 and 10 - 50, then 40 - 80 and 50 - 90;
  // one at a time 4 x 40. The last one then needs 10 ns on level 1.
  const std::vector<PhasesOfOrder> late = {{{0, 0, stages(1, 10, 30)}, {1, 1, stages(1, 10)}}};
  CHECK(time_of_orders(late, {0, 0, 0, 0}, {2, 64}) == nanoseconds(100));
  CHECK(time_of_orders(late, {0, 0, 0, 0}, one) == nanoseconds(170));
  // No more places in the first phase: the same.
  CHECK(time_of_orders(late, {0, 0, 0, 0}, {32, 1}) == nanoseconds(170));
}

TEST_CASE("chunks that end beyond the clock are refused") {
  // Two of 5 x 10^18 ps each; the clock has 9.2 x 10^18.
  const std::vector<PhasesOfOrder> orders = {{{0, 0, stages(1, 5'000'000'000'000'000)}}};
  CHECK_THROWS_AS(time_of_orders(orders, {0, 0}, many), RangeError);
}

}  // namespace
}  // namespace orrery
