// What makes equal devices unequal: jitter, which is drawn anew for each operation or iteration,
// and stragglers, which stay slow.
//
//   t = t0 (1 + r Z) f1 f2 ...      to the nearest picosecond, at least 0
//
// t0 is the time of the device itself, r the relative jitter, Z a random number of unit scale (see
// JitterDistribution), f the slowdown of each straggler entry that names the rank and has begun. An
// operation keeps the slowdown of its beginning.
//
// Z belongs to (seed, rank, operation) or (seed, rank, iteration) and nothing else (RandomStream):
// not to the order of events, the network or the number of threads. Of n ranks that wait for each
// other the slowest counts: with uniform Z the mean of the largest of n is n/(n+1), with
// exponential Z 1 + 1/2 + ... + 1/n.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/share.h"
#include "system/compute_model.h"

namespace orrery {

enum class JitterDistribution : std::uint8_t {
  uniform,      // from 0 to 1: up to r slower, r/2 on average
  exponential,  // of mean 1: r slower on average, seldom much slower (noise of the host)
  normal,       // of mean 0 and standard deviation 1: as often faster as slower
};
std::string_view name_of(JitterDistribution distribution);

enum class JitterDraw : std::uint8_t {
  operation,  // noise: averages out over the operations between two exchanges
  iteration,  // a rank's whole iteration is faster or slower: clocks, temperature
};
std::string_view name_of(JitterDraw draw);

struct JitterSpec {
  Share relative;
  JitterDistribution distribution = JitterDistribution::uniform;
  JitterDraw draw = JitterDraw::operation;
};

struct StragglerSpec {
  std::vector<Rank> ranks;  // these, and
  Share fraction;           // of all ranks, rounded up; which they are is drawn
  double slowdown = 1;      // >= 1
  Duration from;            // since the start of the simulation
};

struct VariationSpec {
  std::optional<JitterSpec> jitter;
  std::vector<StragglerSpec> stragglers;
  std::uint64_t seed = 1;
};

// The mean of the largest of `count` >= 1 draws of JitterDistribution::normal.
double mean_largest_normal(std::int32_t count);

// Another model, varied.
class VariedCompute final : public ComputeModel {
 public:
  // REQUIRES: `device` outlives this; stragglers are ranks below `ranks`.
  VariedCompute(const ComputeModel& device, VariationSpec spec, std::int32_t ranks);

  Duration time_of(const Compute& work) const override { return device_.time_of(work); }
  ComputeLimit limit_of(const Compute& work) const override { return device_.limit_of(work); }
  Duration time_on(const Occasion& occasion, const Compute& work) const override;
  Duration time_without_variation(Rank rank, const Compute& work) const override {
    return device_.time_without_variation(rank, work);
  }
  std::string why_ranks_differ() const override;

 private:
  struct Slowdown {
    Time from;
    double factor;
  };

  double jitter(const Occasion& occasion) const;

  const ComputeModel& device_;
  VariationSpec spec_;
  std::vector<std::vector<Slowdown>> slowdowns_;  // of each rank; empty without stragglers
};

}  // namespace orrery
