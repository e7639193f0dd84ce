#include "simulation/sinks/level_activity.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

Span message(std::int32_t source, std::int32_t target, Duration begin, Duration end, Bytes size) {
  Span span{};
  span.kind = SpanKind::message;
  span.rank = source;
  span.operation = target;
  span.begin = Time{} + begin;
  span.end = Time{} + end;
  span.size = size;
  return span;
}

LevelSpec level(const char* name, std::int32_t size) {
  return {
      name, LevelKind::switched, size, gigabytes_per_second(1), nanoseconds(100), Scope::scale_out};
}

// 3,000 B from 0.5 us to 2 us: a third in the first microsecond, two thirds in the second. Four
// NPUs can send 4,000 B in a microsecond.
TEST_CASE("bytes are spread over the time that a message takes, on the levels it crosses") {
  const Topology topology({{level("inner", 2), level("outer", 2)}});
  LevelActivity activity(topology, {});
  activity.on_span(message(0, 2, nanoseconds(500), nanoseconds(2'000), bytes(3'000)));
  const auto rows = activity.rows();
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].level == "outer");
  CHECK(rows[0].bytes == bytes(1'000));
  CHECK(rows[1].bytes == bytes(2'000));
  CHECK(rows[2].bytes == bytes(0));
  CHECK(rows[1].begin == microseconds(1));
  CHECK(rows[1].end == microseconds(2));
  CHECK(rows[1].share == Approx(0.5));
}

// An NPU sends 500 B to its switch, which hands them on to another one: 1,000 B on the switch's
// level. Of a pair of levels {2, 2}, NPUs 0 to 3, the switches of `inner` are nodes 4 and 5.
TEST_CASE("what ends at a switch crosses the switch's level") {
  const Topology topology({{level("inner", 2), level("outer", 2)}});
  LevelActivity activity(topology, {});
  activity.on_span(message(0, 4, Duration{}, nanoseconds(500), bytes(500)));
  activity.on_span(message(4, 1, nanoseconds(500), nanoseconds(900), bytes(500)));
  const auto rows = activity.rows();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].level == "inner");
  CHECK(rows[0].bytes == bytes(1'000));
}

// 100,000 messages of 10 us one after the other: a second, so intervals of 2^12 us, 245 of them.
TEST_CASE("a long run keeps few samples and every byte") {
  const Topology topology({{level("wire", 2)}});
  LevelActivity activity(topology, {});
  for (int i = 0; i < 100'000; ++i)
    activity.on_span(message(0, 1, microseconds(10 * i), microseconds(10 * i + 10), bytes(7)));
  const auto rows = activity.rows();
  CHECK(rows.size() == 245);
  TotalBytes sum;
  for (const ActivityRow& row : rows) sum += row.bytes;
  CHECK(sum == bytes(700'000));
}

}  // namespace
}  // namespace orrery
