#include "core/base/random.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace orrery {
namespace {

// The expected numbers come from an independent implementation of Philox4x64-10 and FNV-1a in
// Python, itself checked against the vectors published with Random123 (counter 0, key 0:
// 16554d9eca36314c db20fe9d672d0fdc d7e772cee186176b 7e68b68aec7ba23b) and FNV ("foobar":
// 85944171f73967e8).
TEST_CASE("a stream is fixed by seed and name") {
  RandomStream jitter(1, "jitter");
  const std::vector<std::uint64_t> expected{0x331e'86b4'9a6c'44da, 0xac05'ac7e'ad9a'f7dc,
                                            0xe194'97b1'9e89'4292, 0x154b'0fcb'8ecf'b6e5,
                                            0x9446'7ef2'ad13'c85b, 0x84d1'd497'ebf3'cb04};
  for (const std::uint64_t value : expected) CHECK(jitter.next_u64() == value);
  CHECK(RandomStream(2, "jitter").next_u64() == 0x62da'f5ff'21d3'aad2);
  CHECK(RandomStream(1, "loss").next_u64() == 0xbd06'd1df'3d1f'f10c);
}

TEST_CASE("uniform() is the upper 53 bits") {
  RandomStream jitter(1, "jitter");
  CHECK(jitter.uniform() == 0.19968454274423753);  // (0x331e86b49a6c44da >> 11) / 2^53
  CHECK(jitter.uniform() == 0.671961575438768);
  CHECK(jitter.uniform() == 0.8811735924378228);
}

TEST_CASE("uniform_int() scales the range") {
  RandomStream jitter(1, "jitter");
  for (const std::uint64_t value : {199, 671, 881, 83, 579, 518}) {  // floor(1000 * u64 / 2^64)
    CHECK(jitter.uniform_int(1000) == value);
  }
}

TEST_CASE("exponential() and normal() are the same numbers on every machine") {
  // Exact equality: the logarithm is our own. Against Python's math.log to the last bits.
  RandomStream jitter(1, "jitter");
  CHECK(jitter.exponential(1) == Approx(0.22274930746882526).epsilon(1e-15));
  CHECK(jitter.exponential(1) == Approx(1.114624529406754).epsilon(1e-15));
  CHECK(jitter.exponential(1) == Approx(2.130091610878525).epsilon(1e-15));
  RandomStream again(1, "jitter");
  CHECK(again.normal() == Approx(-1.0528500467496453).epsilon(1e-15));
  CHECK(again.normal() == Approx(2.621495210739184).epsilon(1e-15));
  CHECK(again.normal() == Approx(-0.07718350184681734).epsilon(1e-15));
}

TEST_CASE("uniform_int() is unbiased and stays in range") {
  // 60,000 throws of a die: each face 10,000 times, standard deviation sqrt(60000 * 5/36) = 91.
  RandomStream die(11, "die");
  std::vector<int> faces(6);
  for (int i = 0; i < 60'000; ++i) ++faces[die.uniform_int(6)];
  for (const int count : faces) CHECK(std::abs(count - 10'000) < 5 * 91);
  CHECK(die.uniform_int(1) == 0);
  CHECK_THROWS_AS(die.uniform_int(0), CheckFailure);
  // 3 * 2^62 does not divide 2^64: without rejection, the lower third of the range would come up
  // twice as often as each of the others. 30,000 draws: 10,000 each, standard deviation 82.
  const std::uint64_t bound = std::uint64_t{3} << 62;
  std::vector<int> thirds(3);
  for (int i = 0; i < 30'000; ++i) ++thirds[die.uniform_int(bound) >> 62];
  for (const int count : thirds) CHECK(std::abs(count - 10'000) < 5 * 82);
}

TEST_CASE("the moments are right") {
  RandomStream random(5, "moments");
  const int n = 200'000;
  double uniform = 0, exponential = 0, normal = 0, normal_square = 0;
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform();
    REQUIRE((u >= 0 && u < 1));
    uniform += u;
    exponential += random.exponential(3);
    const double x = random.normal();
    normal += x;
    normal_square += x * x;
  }
  // Five standard errors each: sqrt(1/12 / n) = 6.5e-4, 3 / sqrt(n) = 6.7e-3, 1 / sqrt(n) = 2.2e-3,
  // sqrt(2 / n) = 3.2e-3.
  CHECK(uniform / n == Approx(0.5).margin(5 * 6.5e-4));
  CHECK(exponential / n == Approx(3.0).margin(5 * 6.7e-3));
  CHECK(normal / n == Approx(0.0).margin(5 * 2.2e-3));
  CHECK(normal_square / n == Approx(1.0).margin(5 * 3.2e-3));
}

// Gamma numbers of shape a have mean and variance a; binomial ones n p and n p (1 - p). Means of
// 20,000 within five standard errors, sqrt(variance / 20,000).
TEST_CASE("moments of gamma and binomial numbers") {
  constexpr int n = 20'000;
  RandomStream random(1, "moments");
  for (const double shape : {0.3, 1.0, 7.5}) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += random.gamma(shape);
    CHECK(sum / n == Approx(shape).margin(5 * std::sqrt(shape / n)));
  }
  // Drawn by inversion, mirrored, and by the normal approximation.
  for (const auto& [trials, p] : {std::pair{40, 0.1}, {40, 0.9}, {4'000, 0.3}}) {
    double sum = 0, square = 0;
    const double mean = trials * p, variance = mean * (1 - p);
    for (int i = 0; i < n; ++i) {
      const auto drawn = static_cast<double>(random.binomial(trials, p));
      REQUIRE((drawn >= 0 && drawn <= trials));
      sum += drawn;
      square += (drawn - mean) * (drawn - mean);
    }
    CHECK(sum / n == Approx(mean).margin(5 * std::sqrt(variance / n)));
    CHECK(square / n == Approx(variance).epsilon(0.06));
  }
  CHECK(random.binomial(7, 0) == 0);
  CHECK(random.binomial(7, 1) == 7);
}

}  // namespace
}  // namespace orrery
