#include "core/trace/byte_bins.h"

#include <catch2/catch.hpp>
#include <numeric>

namespace orrery {
namespace {

Time at(std::int64_t ns) { return Time{} + nanoseconds(ns); }

std::vector<std::int64_t> values(std::span<const TotalBytes> row) {
  std::vector<std::int64_t> values;
  for (const TotalBytes b : row) values.push_back(b.narrow().value);
  return values;
}

// 100 B over 3 intervals of 10 ns, from the middle of the first to the end of the third: 25 ns, so
// 20, 40 and 40 B.
TEST_CASE("bytes are spread evenly over the intervals they touch") {
  ByteBins bins(2, 4, nanoseconds(10));
  bins.add(1, at(5), at(30), bytes(100));
  CHECK(bins.row(0).empty());
  CHECK(values(bins.row(1)) == std::vector<std::int64_t>{20, 40, 40, 0});
}

// 10 B over three equal intervals: 3, 3, and the 4 that are left.
TEST_CASE("what cannot be divided is in the last interval") {
  ByteBins bins(1, 4, nanoseconds(10));
  bins.add(0, at(0), at(29), bytes(10));
  CHECK(values(bins.row(0)) == std::vector<std::int64_t>{3, 3, 4});
}

// Four intervals of 10 ns hold what is before 40 ns; at 45 ns they have to be of 20 ns.
TEST_CASE("intervals double when time outgrows them, of all rows") {
  ByteBins bins(2, 4, nanoseconds(10));
  for (int i = 0; i < 4; ++i) bins.add(0, at(10 * i), at(10 * i), bytes(1 << i));
  CHECK(values(bins.row(0)) == std::vector<std::int64_t>{1, 2, 4, 8});
  bins.add(1, at(45), at(45), bytes(7));
  CHECK(bins.width() == nanoseconds(20));
  CHECK(values(bins.row(0)) == std::vector<std::int64_t>{3, 12});
  CHECK(values(bins.row(1)) == std::vector<std::int64_t>{0, 0, 7});
}

}  // namespace
}  // namespace orrery
