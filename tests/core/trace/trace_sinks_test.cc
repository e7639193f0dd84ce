#include <catch2/catch.hpp>
#include <sstream>
#include <vector>

#include "core/trace/csv_sink.h"
#include "core/trace/fingerprint_sink.h"
#include "core/trace/tee_sink.h"

namespace orrery {
namespace {

Span span(int rank, std::int64_t operation, SpanKind kind = SpanKind::collective) {
  return {kind, rank, operation, 2, 0, Time{nanoseconds(1)}, Time{nanoseconds(251)}, mebibytes(1)};
}

std::string fingerprint(const std::vector<Span>& spans) {
  FingerprintSink sink;
  for (const Span& one : spans) sink.on_span(one);
  return sink.hex();
}

// The two numbers come from an independent Python implementation of the definition in
// fingerprint_sink.cc: a change here changes the fingerprint of every published result.
TEST_CASE("the fingerprint of given spans is fixed") {
  CHECK(fingerprint({}) == "00000000000000000000000000000000");
  CHECK(fingerprint({span(3, 17)}) == "3a984298874d6a76b4b2e9d82150fbd1");
  CHECK(fingerprint({span(3, 17), span(3, 17), span(4, 17)}) == "e69bfa84535764dab3c406baed0fb887");
}

TEST_CASE("the order of spans does not matter, their number does") {
  CHECK(fingerprint({span(1, 1), span(2, 2), span(3, 3)}) ==
        fingerprint({span(3, 3), span(1, 1), span(2, 2)}));
  CHECK(fingerprint({span(1, 1), span(1, 1)}) != fingerprint({span(1, 1)}));
}

TEST_CASE("a folded span counts as if every rank had had it") {
  const std::vector<std::int32_t> zero = {0, 0, 0};
  FingerprintSink folded(zero);
  folded.on_span(span(0, 1));
  folded.on_span(span(0, 2, SpanKind::compute));
  CHECK(folded.hex() ==
        fingerprint({span(0, 1), span(1, 1), span(2, 1), span(0, 2, SpanKind::compute),
                     span(1, 2, SpanKind::compute), span(2, 2, SpanKind::compute)}));
}

TEST_CASE("every hashed field matters, and which rank had which time") {
  const std::string original = fingerprint({span(1, 2)});
  Span other = span(1, 2);
  other.rank = 2;
  CHECK(fingerprint({other}) != original);
  other = span(1, 2);
  other.operation = 3;
  CHECK(fingerprint({other}) != original);
  other = span(1, 2);
  other.begin += picoseconds(1);
  CHECK(fingerprint({other}) != original);
  other = span(1, 2);
  other.end += picoseconds(1);
  CHECK(fingerprint({other}) != original);
  other = span(1, 2);
  other.size += bytes(1);
  CHECK(fingerprint({other}) != original);
  CHECK(fingerprint({span(2, 1)}) != original);
  // The same times, swapped between two ranks.
  Span early = span(1, 1), late = span(2, 1);
  late.end += picoseconds(5);
  Span early_swapped = early, late_swapped = late;
  std::swap(early_swapped.rank, late_swapped.rank);
  CHECK(fingerprint({early, late}) != fingerprint({early_swapped, late_swapped}));
}

TEST_CASE("labels, waiting and messages are not part of the fingerprint") {
  const std::string empty = fingerprint({});
  CHECK(fingerprint({span(1, 2, SpanKind::exposed)}) == empty);
  CHECK(fingerprint({span(1, 2, SpanKind::message)}) == empty);
  CHECK(fingerprint({span(1, 2, SpanKind::compute)}) != empty);
  Span relabelled = span(1, 2);
  relabelled.label = 9;
  CHECK(fingerprint({relabelled}) == fingerprint({span(1, 2)}));
}

TEST_CASE("csv: one line per span, messages only if asked for") {
  std::ostringstream plain, all;
  CsvSink without(plain);
  CsvSink with(all, CsvSink::Messages::include);
  CHECK_FALSE(without.wants_messages());
  CHECK(with.wants_messages());
  for (CsvSink* sink : {&without, &with}) {
    sink->on_span(span(0, 17));
    sink->on_span({SpanKind::exposed, 1, -1, -1, 0, Time{}, Time{picoseconds(7)}, bytes(0)});
    sink->on_span(span(0, 5, SpanKind::message));
    sink->on_span(span(2, 1, SpanKind::compute));
  }
  CHECK(plain.str() ==
        "rank,kind,operation,label,begin_ps,end_ps,bytes\n"
        "0,collective,17,2,1000,251000,1048576\n"
        "1,exposed,-1,-1,0,7,0\n"
        "2,compute,1,2,1000,251000,1048576\n");
  CHECK_THAT(all.str(), Catch::Contains("\n0,message,5,2,1000,251000,1048576\n"));
}

TEST_CASE("a tee passes spans to all its sinks, messages to those that want them") {
  std::ostringstream plain, all;
  CsvSink without(plain);
  CsvSink with(all, CsvSink::Messages::include);
  FingerprintSink print;
  TeeSink tee({&without, &print, &with});
  CHECK(tee.wants_messages());
  CHECK_FALSE(TeeSink({&without, &print}).wants_messages());
  tee.on_span(span(0, 17));
  tee.on_span(span(0, 5, SpanKind::message));
  CHECK(print.hex() == fingerprint({span(0, 17)}));
  CHECK_THAT(plain.str(), !Catch::Contains("message"));
  CHECK_THAT(all.str(), Catch::Contains("collective") && Catch::Contains("message"));
}

}  // namespace
}  // namespace orrery
