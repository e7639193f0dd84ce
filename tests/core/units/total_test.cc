// Sums that 64 bits do not hold, and quantities that may not leave them.
#include "core/units/total.h"

#include <catch2/catch.hpp>
#include <limits>

#include "core/units/range_error.h"
#include "core/units/share.h"
#include "core/units/unit_text.h"

using namespace orrery;
using Catch::Contains;

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

template <class Expression>
std::string refusal(Expression expression) {
  try {
    expression();
  } catch (const RangeError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a quantity does not wrap round", "[units]") {
  const Duration most{largest}, least{std::numeric_limits<std::int64_t>::min()};
  CHECK_THAT(refusal([&] { most + picoseconds(1); }), Contains("beyond 106 days"));
  CHECK_THAT(refusal([&] { least - picoseconds(1); }), Contains("beyond 106 days"));
  CHECK_THAT(refusal([&] { -least; }), Contains("beyond 106 days"));
  CHECK_THAT(refusal([&] { milliseconds(largest / 1'000); }), Contains("beyond 106 days"));
  CHECK_THAT(refusal([&] { Time{most} + picoseconds(1); }), Contains("beyond 106 days"));
  CHECK_THAT(refusal([&] { mebibytes(1LL << 43); }), Contains("a size goes beyond 2^63 bytes"));
  CHECK_THAT(refusal([&] { Bandwidth{largest} * 2; }), Contains("a bandwidth"));
  CHECK_THAT(refusal([&] { Flops{largest} + Flops{1}; }), Contains("2^63 FLOP"));
  Bytes sum{largest};
  CHECK_THROWS_AS(sum += bytes(1), RangeError);
  CHECK(sum == bytes(largest));  // as it was
  CHECK(most - picoseconds(1) + picoseconds(1) == most);
}

// 100 MB at 1 B/s are 10^8 s, and the clock ends at 9.2 x 10^6 s.
TEST_CASE("a time beyond the clock says what takes it", "[units]") {
  CHECK_THAT(refusal([] { transfer_time(bytes(100'000'000), Bandwidth{1}); }),
             Contains("100 MB at 1 B/s take longer than 106 days"));
  CHECK_THAT(refusal([] { compute_time(flops(1'000'000'000), FlopRate{1}); }),
             Contains("1 GFLOP at 1 FLOP/s take longer than 106 days"));
  // 9,223,372 B at 1 B/s are 9,223,372 x 10^12 ps, the last whole second below 2^63.
  CHECK(transfer_time(bytes(9'223'372), Bandwidth{1}).value == 9'223'372'000'000'000'000);
  CHECK_THROWS_AS(transfer_time(bytes(9'223'373), Bandwidth{1}), RangeError);
  CHECK_THROWS_AS(whole_of(bytes(largest), {1, 2}), RangeError);
}

// 3 x (2^63 - 1) = 27,670,116,110,564,327,421.
TEST_CASE("a total goes on where 64 bits end", "[units]") {
  TotalBytes total;
  for (int i = 0; i < 3; ++i) total += bytes(largest);
  CHECK(digits(total) == "27670116110564327421");
  CHECK(to_text(total) == "27670116 TB");
  CHECK(total > TotalBytes(bytes(largest)));
  CHECK_FALSE(total.fits());
  CHECK_THROWS_AS(total.narrow(), RangeError);
  total -= TotalBytes(bytes(largest)) * 2;
  CHECK(total.fits());
  CHECK(total.narrow() == bytes(largest));
  CHECK(total == bytes(largest));
  CHECK(digits(TotalBytes() - bytes(largest) - bytes(largest)) == "-18446744073709551614");
}

// Three times down to -3 x (2^63 - 1), and back: a borrow and a carry between the two words.
TEST_CASE("what is below zero is added up, too", "[units]") {
  TotalBytes total;
  for (int i = 0; i < 3; ++i) total += -bytes(largest);
  CHECK(digits(total) == "-27670116110564327421");
  for (int i = 0; i < 3; ++i) total += bytes(largest);
  CHECK(total == TotalBytes());
  total += bytes(-1);
  CHECK(digits(total) == "-1");
}

TEST_CASE("the mean of a total is rounded down", "[units]") {
  TotalTime total;
  for (int i = 0; i < 4; ++i) total += Duration{largest};
  CHECK(total.mean(4) == Duration{largest});
  CHECK(total.mean(5).value == 7'378'697'629'483'820'645);  // 4 (2^63 - 1) / 5 = ...645.6
}

// As transfer_time() of a size that 64 bits hold; 10^30 B at 10^18 B/s would be 10^12 s.
TEST_CASE("totals take time, if the clock has it", "[units]") {
  CHECK(transfer_time(TotalBytes(bytes(1)), gigabits_per_second(400)) == picoseconds(20));
  CHECK(transfer_time(TotalBytes(bytes(10)), Bandwidth{3}) ==
        transfer_time(bytes(10), Bandwidth{3}));
  const TotalBytes twice = TotalBytes(bytes(largest)) * 2;  // at 2^62 B/s: 4 s less 2 B
  CHECK(transfer_time(twice, Bandwidth{1LL << 62}) == milliseconds(4'000));
  const TotalBytes huge = TotalBytes(bytes(1'000'000'000'000'000)) * 1'000'000'000'000'000;
  CHECK_FALSE(transfer_time_if_any(huge, Bandwidth{1'000'000'000'000'000'000}));
  CHECK_THROWS_AS(transfer_time(huge, Bandwidth{1'000'000'000'000'000'000}), RangeError);
}
