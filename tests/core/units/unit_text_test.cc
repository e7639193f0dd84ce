#include "core/units/unit_text.h"

#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "core/base/random.h"

namespace orrery {
namespace {

template <class Q>
std::int64_t value(const Parsed<Q>& parsed) {
  if (const auto* error = std::get_if<UnitError>(&parsed)) FAIL(error->what);
  return std::get<Q>(parsed).value;
}

template <class Q>
std::string error(const Parsed<Q>& parsed) {
  const auto* found = std::get_if<UnitError>(&parsed);
  return found == nullptr ? "(no error)" : found->what;
}

TEST_CASE("every accepted unit") {
  const std::int64_t k = 1'000, ki = 1'024;
  struct Case {
    const char* unit;
    std::int64_t size;
  };
  for (const Case& one : std::vector<Case>{
           {"ps", 1}, {"ns", k}, {"us", k * k}, {"ms", k * k * k}, {"s", k * k * k * k}}) {
    CHECK(value(parse_duration(std::string("3 ") + one.unit)) == 3 * one.size);
  }
  for (const Case& one : std::vector<Case>{{"B", 1},
                                           {"kB", k},
                                           {"MB", k * k},
                                           {"GB", k * k * k},
                                           {"TB", k * k * k * k},
                                           {"KiB", ki},
                                           {"MiB", ki * ki},
                                           {"GiB", ki * ki * ki},
                                           {"TiB", ki * ki * ki * ki}}) {
    CHECK(value(parse_bytes(std::string("3 ") + one.unit)) == 3 * one.size);
    if (std::string(one.unit) == "TiB") continue;
    CHECK(value(parse_bandwidth(std::string("3") + one.unit + "/s")) == 3 * one.size);
  }
  // 8 bits are a byte.
  for (const Case& one : std::vector<Case>{
           {"b", 1}, {"kb", k}, {"Mb", k * k}, {"Gb", k * k * k}, {"Tb", k * k * k * k}}) {
    CHECK(value(parse_bandwidth(std::string("24 ") + one.unit + "/s")) == 3 * one.size);
    CHECK(value(parse_bandwidth(std::string("24") + one.unit + "ps")) == 3 * one.size);
  }
  for (const Case& one : std::vector<Case>{{"FLOP", 1},
                                           {"kFLOP", k},
                                           {"MFLOP", k * k},
                                           {"GFLOP", k * k * k},
                                           {"TFLOP", k * k * k * k},
                                           {"PFLOP", k * k * k * k * k}}) {
    CHECK(value(parse_flops(std::string("3 ") + one.unit)) == 3 * one.size);
    CHECK(value(parse_flop_rate(std::string("3 ") + one.unit + "/s")) == 3 * one.size);
    CHECK(value(parse_flop_rate(std::string("3 ") + one.unit + "S")) == 3 * one.size);
  }
}

TEST_CASE("numbers as people write them") {
  CHECK(value(parse_duration("0.5 us")) == 500'000);
  CHECK(value(parse_duration("1.5us")) == 1'500'000);
  CHECK(value(parse_duration("  0.01 us\t")) == 10'000);
  CHECK(value(parse_duration(".5 ns")) == 500);
  CHECK(value(parse_duration("5. ns")) == 5'000);
  CHECK(value(parse_duration("0 s")) == 0);
  CHECK(value(parse_duration("0.000 s")) == 0);
  CHECK(value(parse_duration("007 ps")) == 7);
}

TEST_CASE("exponents") {
  CHECK(value(parse_bytes("1e3 B")) == 1000);
  CHECK(value(parse_bytes("1E3B")) == 1000);
  CHECK(value(parse_bytes("1e+3 B")) == 1000);
  CHECK(value(parse_bytes("2500e-2 B")) == 25);
  CHECK(value(parse_bytes("65536e0 B")) == 65536);
  CHECK(value(parse_bytes("0e999999999999 B")) == 0);
  CHECK(value(parse_bandwidth("1e1 Gb/s")) == 1'250'000'000);
}

TEST_CASE("nothing is rounded") {
  // 2^63 - 1, which no double holds, and 0.1 s, which no double holds either.
  CHECK(value(parse_bytes("9223372036854775807 B")) == std::numeric_limits<std::int64_t>::max());
  CHECK(value(parse_duration("0.1 s")) == 100'000'000'000);
  CHECK(value(parse_duration("0.123456789012 s")) == 123'456'789'012);
  CHECK(value(parse_bytes("9007199.254740993 GB")) == 9'007'199'254'740'993);  // 2^53 + 1
  CHECK(value(parse_bytes("0.0009765625 KiB")) == 1);                          // 1 / 1024
  CHECK(value(parse_bytes("1.5 KiB")) == 1536);
  CHECK(value(parse_bytes("0.5 TiB")) == std::int64_t{1} << 39);
  CHECK(value(parse_bandwidth("0.008 kb/s")) == 1);  // 8 bits
  CHECK(value(parse_bandwidth("1.6e1 b/s")) == 2);
  CHECK(value(parse_bandwidth("1e3 b/s")) == 125);
  CHECK(value(parse_bandwidth("400 Gb/s")) == value(parse_bandwidth("50 GB/s")));
}

TEST_CASE("a quantity that is not a whole number is refused") {
  CHECK(error(parse_bytes("0.3 B")) == "is not a whole number of bytes");
  CHECK(error(parse_bytes("1e-1 B")) == "is not a whole number of bytes");
  CHECK(error(parse_bytes("0.1 KiB")) == "is not a whole number of bytes");  // 102.4
  CHECK(error(parse_duration("0.5 ps")) == "is not a whole number of picoseconds");
  CHECK(error(parse_duration("1e-999999999999 s")) == "is not a whole number of picoseconds");
  CHECK(error(parse_bandwidth("12 b/s")) == "is not a whole number of bytes per second");
  CHECK(error(parse_flops("0.5 FLOP")) == "is not a whole number of FLOP");
  CHECK(error(parse_flop_rate("0.0001 kFLOP/s")) == "is not a whole number of FLOP/s");
}

TEST_CASE("what does not fit is refused, one beyond the limit and far beyond") {
  const std::string bytes_limit = "is too large (at most 9223372036854775807 bytes)";
  CHECK(error(parse_bytes("9223372036854775808 B")) == bytes_limit);
  CHECK(error(parse_bytes("8388608 TiB")) == bytes_limit);  // 2^23 * 2^40 = 2^63
  CHECK(value(parse_bytes("8388607 TiB")) == ((std::int64_t{1} << 23) - 1) << 40);
  CHECK(error(parse_bytes("1e19 B")) == bytes_limit);
  CHECK(error(parse_bytes("1e999999999999999999999 B")) == bytes_limit);
  CHECK(error(parse_duration("9223373 s")) ==
        "is too large (at most 9223372036854775807 picoseconds)");
  CHECK(error(parse_bytes("1234567890123456789012345678901234567.8 B")) ==
        "has more digits than can be represented");
}

TEST_CASE("negative quantities are refused") {
  CHECK(error(parse_duration("-1 us")) == "is negative");
  CHECK(error(parse_bytes("-0 B")) == "is negative");
}

TEST_CASE("a missing number or unit names the accepted units") {
  CHECK(error(parse_duration("400")) == "has no unit (accepted: ps, ns, us, ms, s)");
  CHECK(error(parse_duration("")) == "is empty (write a number and a unit: ps, ns, us, ms, s)");
  CHECK(error(parse_duration("soon")) ==
        "does not start with a number (write a number and a unit: ps, ns, us, ms, s)");
  CHECK(error(parse_duration("- us")) ==
        "does not start with a number (write a number and a unit: ps, ns, us, ms, s)");
  CHECK(error(parse_duration(".")) ==
        "does not start with a number (write a number and a unit: ps, ns, us, ms, s)");
  CHECK(error(parse_bytes("64")) ==
        "has no unit (accepted: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)");
  CHECK(error(parse_flops("1e9")) ==
        "has no unit (accepted: FLOP, kFLOP, MFLOP, GFLOP, TFLOP, PFLOP)");
  CHECK(error(parse_bandwidth("400")) ==
        "has no unit (accepted: B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, b/s, kb/s, Mb/s, "
        "Gb/s, Tb/s, bps, kbps, Mbps, Gbps, Tbps)");
}

TEST_CASE("a unit of another dimension is named") {
  CHECK(error(parse_bytes("5 us")) ==
        "is a duration, not a size (accepted: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)");
  CHECK(error(parse_bytes("50 GB/s")) == "is a bandwidth, not a size (did you mean 50 GB?)");
  CHECK(error(parse_bandwidth("50 GB")) == "is a size, not a bandwidth (did you mean 50 GB/s?)");
  CHECK(error(parse_duration("50 GB")) ==
        "is a size, not a duration (accepted: ps, ns, us, ms, s)");
  CHECK(error(parse_flop_rate("60 TFLOP")) ==
        "is an amount of FLOP, not a compute rate (did you mean 60 TFLOP/s?)");
  CHECK(error(parse_flops("60 TFLOPS")) ==
        "is a compute rate, not an amount of FLOP (did you mean 60 TFLOP?)");
}

TEST_CASE("an unknown unit is answered with the likely ones") {
  CHECK(error(parse_bytes("32Mb")) == "is not a size (did you mean 32 MB or 32 MiB?)");
  CHECK(error(parse_bytes("32M")) == "is not a size (did you mean 32 MB or 32 MiB?)");
  CHECK(error(parse_bytes("1.5 k")) == "is not a size (did you mean 1.5 kB or 1.5 KiB?)");
  CHECK(error(parse_bytes("64 KB")) == "is not a size (did you mean 64 kB or 64 KiB?)");
  CHECK(error(parse_bytes("64 mib")) == "is not a size (did you mean 64 MiB?)");
  CHECK(error(parse_bandwidth("400 gbps")) ==
        "is not a bandwidth (did you mean 400 GB/s or 400 Gb/s?)");
  CHECK(error(parse_bandwidth("400 G")) ==
        "is not a bandwidth (did you mean 400 GB/s or 400 Gb/s?)");
  CHECK(error(parse_duration("10 \xC2\xB5s")) == "is not a duration (did you mean 10 us?)");
  CHECK(error(parse_bandwidth("50 GBps")) == "is not a bandwidth (did you mean 50 GB/s?)");
  CHECK(error(parse_duration("10 US")) == "is not a duration (did you mean 10 us?)");
  CHECK(error(parse_duration("2 hours")) == "is not a duration (accepted: ps, ns, us, ms, s)");
  CHECK(error(parse_flop_rate("60 tflops")) == "is not a compute rate (did you mean 60 TFLOP/s?)");
  CHECK(error(parse_bytes("1,000 B")) ==
        "is not a size (accepted: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)");
  CHECK(error(parse_bytes("1e B")) ==
        "is not a size (accepted: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)");
}

TEST_CASE("text for people has 4 significant digits") {
  CHECK(to_text(picoseconds(18'234'567'890)) == "18.23 ms");
  CHECK(to_text(Time{picoseconds(18'235'000'000)}) == "18.24 ms");  // half goes up
  CHECK(to_text(Time::never()) == "never");
  CHECK(to_text(bytes(114'800'000)) == "114.8 MB");
  CHECK(to_text(gigabits_per_second(100)) == "12.5 GB/s");
  CHECK(to_text(flops(1'500)) == "1.5 kFLOP");
  CHECK(to_text(teraflops_per_second(60)) == "60 TFLOP/s");
  CHECK(to_text(picoseconds(1)) == "1 ps");
  CHECK(to_text(picoseconds(999)) == "999 ps");
  CHECK(to_text(picoseconds(1000)) == "1 ns");
  CHECK(to_text(picoseconds(-1500)) == "-1.5 ns");
  CHECK(to_text(mebibytes(1)) == "1.049 MB");       // 1.048576
  CHECK(to_text(picoseconds(99'995)) == "100 ns");  // 99.995 rounds up to 100.00
  CHECK(to_text(picoseconds(9'999'600)) == "10 us");
}

TEST_CASE("rounding up to a thousand moves to the next unit, in the last unit it cannot") {
  CHECK(to_text(picoseconds(999'949'999)) == "999.9 us");
  CHECK(to_text(picoseconds(999'950'000)) == "1 ms");
  CHECK(to_text(picoseconds(1'234'567'000'000'000)) == "1235 s");
  CHECK(to_text(bytes(std::numeric_limits<std::int64_t>::max())) == "9223372 TB");
  CHECK(to_text(Duration{std::numeric_limits<std::int64_t>::min()}) == "-9223372 s");
}

TEST_CASE("zero") {
  CHECK(to_text(Duration{}) == "0 s");
  CHECK(to_text(Bytes{}) == "0 B");
  CHECK(to_text(Bandwidth{}) == "0 B/s");
  CHECK(to_text(Flops{}) == "0 FLOP");
  CHECK(to_text(FlopRate{}) == "0 FLOP/s");
  CHECK(exact_text(Duration{}) == "0 s");
}

TEST_CASE("exact text uses the unit with the shortest number") {
  CHECK(exact_text(picoseconds(500'000)) == "500 ns");
  CHECK(exact_text(picoseconds(18'234'567'890)) == "18234567890 ps");
  CHECK(exact_text(mebibytes(1)) == "1 MiB");
  CHECK(exact_text(bytes(1'048'577)) == "1048577 B");
  CHECK(exact_text(bytes(1'024'000)) == "1000 KiB");  // rather than 1024 kB
  CHECK(exact_text(gigabits_per_second(400)) == "50 GB/s");
  CHECK(exact_text(gigabits_per_second(100)) == "12.5 GB/s");
  CHECK(exact_text(picoseconds(1'500'000)) == "1.5 us");
  CHECK(exact_text(picoseconds(1'000'100)) == "1000.1 ns");
  CHECK(exact_text(picoseconds(-500)) == "-500 ps");
}

TEST_CASE("exact text is read back as the same quantity") {
  RandomStream random(1, "unit text");
  for (int i = 0; i < 5000; ++i) {
    // All magnitudes, with and without trailing decimal or binary zeros.
    std::int64_t n = static_cast<std::int64_t>(random.next_u64() >> (1 + random.uniform_int(62)));
    if (i % 3 == 1) n = n / 1'000'000 * 1'000'000;
    if (i % 3 == 2) n &= ~std::int64_t{0xfffff};
    CAPTURE(n);
    REQUIRE(value(parse_duration(exact_text(Duration{n}))) == n);
    REQUIRE(value(parse_bytes(exact_text(Bytes{n}))) == n);
    REQUIRE(value(parse_bandwidth(exact_text(Bandwidth{n}))) == n);
    REQUIRE(value(parse_flops(exact_text(Flops{n}))) == n);
    REQUIRE(value(parse_flop_rate(exact_text(FlopRate{n}))) == n);
  }
}

TEST_CASE("text for people is within half a unit of its last digit") {
  RandomStream random(2, "unit text");
  for (int i = 0; i < 5000; ++i) {
    const auto n = static_cast<std::int64_t>(random.next_u64() >> (1 + random.uniform_int(62)));
    if (n == 0) continue;
    const std::int64_t back = value(parse_duration(to_text(Duration{n})));
    CAPTURE(n, to_text(Duration{n}));
    REQUIRE(std::abs(static_cast<double>(back - n)) <= 0.0005 * static_cast<double>(n) + 0.5);
  }
}

}  // namespace
}  // namespace orrery
