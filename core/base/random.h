// Reproducible randomness: every use has a stream of its own, found by name.
//
//   RandomStream jitter(seed, "compute jitter rank 17");
//
// What a stream yields depends on (seed, name) and on nothing else: not on the machine, the order
// in which streams are made, or how much another one is used. So a new random feature does not
// change the numbers of the old ones, and folded ranks can draw as if they were not folded.
//
// Philox4x64-10 in counter mode: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
// 1, 2, 3", SC'11. Key: the seed and the FNV-1a hash of the name.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace orrery {

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name);

  // One of 2^128 streams of this name: for draws that belong to a place, such as (rank, operation),
  // and must not depend on when they are made.
  RandomStream(std::uint64_t seed, std::string_view name, std::array<std::uint64_t, 2> place);

  std::uint64_t next_u64();

  double uniform();  // in [0, 1), a multiple of 2^-53

  std::uint64_t uniform_int(std::uint64_t bound);  // in [0, bound), unbiased. REQUIRES: bound > 0

  double exponential(double mean);  // in [0, 36.8 * mean]. REQUIRES: mean >= 0

  double normal();  // mean 0, standard deviation 1

  double gamma(double shape);  // of scale 1. REQUIRES: shape > 0

  // Successes among independent trials; where their variance is 25 or more, the rounded normal
  // approximation. REQUIRES: 0 <= probability <= 1.
  std::int64_t binomial(std::int64_t trials, double probability);

 private:
  std::array<std::uint64_t, 2> key_, place_;
  std::uint64_t blocks_ = 0;  // computed so far, of four numbers each
  std::array<std::uint64_t, 4> block_{};
  int used_ = 4;  // of the current block
};

}  // namespace orrery
