// Compute time from a processor's two limits, and from how far kernels stay below them:
//
//   t = max(issue, launch + max((1 + s E_n) (F / (e P) + R / W), M / (m B)))
//
// for F operations at peak P and M bytes of traffic at memory bandwidth B. S. Williams, A.
// Waterman, D. Patterson, "Roofline", CACM 52(4), 2009; e of a matrix product grows with its size
// as F / (F + launch e P), which is what `launch` does. A measured time is taken as it is.
//
// R is the result of a product, which leaves the multiprocessors at rate W (`results`): a block of
// a product's kernel fills its multiprocessor, so nothing multiplies there while the block writes.
// A product of depth K therefore reaches e / (1 + e P b / (2 K W)) of the peak, for elements of b
// bytes.
//
// An attention kernel takes a block of queries through all keys that they meet. Each block begins
// and ends without products, and of a causal one half of its last tile is masked. All of that costs
// what a number of keys more would (R. Hockney's half-performance length n_1/2, "Parallel
// Computers 2", 1988): F (1 + n_1/2 / keys) operations.
//
// Of n ranks that wait for each other the slowest counts: their rates deviate by s, and the largest
// of n such deviations is E_n on average. So every rank is as slow as the slowest is expected to
// be, and equal ranks stay equal (they fold).
#pragma once

#include <optional>
#include <vector>

#include "core/units/share.h"
#include "system/compute_model.h"

namespace orrery {

// A matrix product that was timed.
struct TimedProduct {
  MatrixShape shape;
  Duration time;
};

// What a GPU generation with the software of its time reaches. The default is all.
struct EfficiencySpec {
  Share matrix{100, 100};                  // of the peak, by a large matrix product
  Share attention{100, 100};               // of the peak, by attention to many keys
  std::int64_t attention_half_length = 0;  // keys at which attention reaches half of that
  Share memory{100, 100};                  // of the memory bandwidth, by a large kernel
  Share spread{0, 100};                    // of the rates of equal devices, a standard deviation
  Duration launch;  // in which the device does nothing, before each operation
  Duration issue;   // that the host takes for an operation; the device is not faster
  std::optional<Bandwidth> results;         // of products, behind their operations; none = beside
  std::vector<TimedProduct> products = {};  // instead of the roofline, for exactly these shapes
};

struct RooflineSpec {
  FlopRate peak;                              // 0 = none stated
  std::optional<Bandwidth> memory_bandwidth;  // none = memory traffic costs no time
  EfficiencySpec efficiency = {};
  std::int64_t measured_speed = 1;  // how many times as fast as what was measured; >= 1
  std::int32_t ranks = 1;           // that wait for each other, for `spread`
};

class Roofline final : public ComputeModel {
 public:
  explicit Roofline(RooflineSpec spec);
  Duration time_of(const Compute& work) const override;
  ComputeLimit limit_of(const Compute& work) const override;

 private:
  struct Limits {
    Duration rate, memory;  // what operations with their results take, and the memory traffic
  };
  Limits limits_of(const Compute& work) const;
  const TimedProduct* timed(const Compute& work) const;

  RooflineSpec spec_;  // products in ascending order of shape
  double slower_;      // than the mean device, by this factor: the slowest
};

}  // namespace orrery
