// Which experts the tokens of each rank choose, drawn for each iteration, micro-batch and layer.
//
// A layer's experts have popularities p (ExpertLoadSpec), of which `persistence` per iteration is
// left: p_i = 1/E + (p - 1/E) persistence^iteration. A token chooses k different experts, expert j
// with probability min(1, c p_j), c such that these sum to k. The tokens of a rank are then dealt
// out expert by expert, binomially among those that are left: a multinomial draw in which no expert
// gets more copies than there are tokens.
//
// What is drawn depends on the seed and on names only: it can be forgotten and drawn again. So this
// keeps the latest draws, not all of them; a job's memory does not grow with its length.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "workload/model/recent.h"
#include "workload/workload_spec.h"

namespace orrery {

// So many matrices of 8 B for each pair of ranks of a group may be kept: some for each group of the
// job, which all work at the same time, within 256 MB.
std::size_t kept_matrices(const TransformerTraining& training);

class ExpertLoads {
 public:
  struct Draw {
    std::int32_t iteration = 0, micro_batch = 0, layer = 0;
    std::int32_t group = 0;  // of expert-parallel ranks
    auto operator<=>(const Draw&) const = default;
  };
  struct Counts {
    // Entry source * e + target: copies that go from one rank of the group to another's experts.
    std::vector<std::int64_t> pairs;
    std::vector<std::int64_t> arriving;  // at each rank
  };

  // `tokens` of each rank and micro-batch.
  ExpertLoads(const TransformerWorkload& workload, std::int64_t tokens);

  // Valid until the next call. REQUIRES: the load is drawn (ExpertTraining::is_drawn).
  const Counts& counts(const Draw& draw);

  // Probability of each expert to be among those of a token.
  std::vector<double> chosen(const Draw& draw) const;

 private:
  std::vector<double> popularity(const Draw& draw) const;
  Counts draw_counts(const Draw& draw) const;

  ExpertsSpec experts_;
  ExpertTraining training_;
  std::int64_t tokens_, capacity_;
  std::int32_t expert_layers_, micro_batches_;
  std::vector<std::int32_t> index_of_layer_;  // among those with experts
  Recent<Draw, Counts> drawn_;
};

}  // namespace orrery
