// Mixture-of-experts layers: their shape, how they are trained, and how evenly tokens choose.
//
// N. Shazeer et al., ICLR 2017; D. Lepikhin et al., "GShard", ICLR 2021 (capacity); DeepSeek-AI,
// "DeepSeek-V3 Technical Report", arXiv 2412.19437 (shared experts, groups, FP8 dispatch).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/share.h"

namespace orrery {

struct ExpertsSpec {
  std::int64_t count = 0;         // E, of a layer; 0 = the model has none
  std::int64_t top_k = 0;         // k: experts that a token goes to
  std::int64_t width = 0;         // inner width of an expert; 0 = that of the model's MLP
  std::int64_t shared = 0;        // experts that every token goes to besides
  std::int64_t shared_width = 0;  // inner width of each of them; 0 = width
  std::int64_t first_dense = 0;   // so many first layers have an MLP
  std::int64_t every = 1;         // of the others, those whose index is a multiple have experts
  std::int64_t groups = 1;        // experts fall into so many groups of neighbours
  std::int64_t group_limit = 1;   // a token chooses among the experts of so many of them

  bool in_layer(std::int64_t layer) const {  // counted from 0
    return count > 0 && layer >= first_dense && layer % every == 0;
  }
};

// Which experts tokens prefer. Probabilities are redrawn for each micro-batch, iteration or layer;
// how many tokens choose each expert is drawn for each micro-batch, layer, iteration and rank.
enum class ExpertLoad : std::uint8_t {
  uniform,      // every expert gets the same number: nothing is drawn
  multinomial,  // all experts are equally likely
  zipf,         // the i-th most popular is chosen in proportion to i^-alpha; which it is, is drawn
  dirichlet,    // probabilities from a symmetric Dirichlet distribution
  trace,        // probabilities in proportion to numbers of a file
};
std::string_view name_of(ExpertLoad load);

enum class Redraw : std::uint8_t { micro_batch, iteration, layer };
std::string_view name_of(Redraw redraw);

struct ExpertLoadSpec {
  ExpertLoad kind = ExpertLoad::uniform;
  double alpha = 1;          // of zipf: 0 = equal
  double concentration = 1;  // of dirichlet: the larger, the more even
  // Of trace: a row for each layer of the first micro-batch, then of the second, ...; repeated.
  std::vector<std::vector<double>> weights;
  Redraw redraw = Redraw::layer;
  Fraction persistence = 1;  // part of the skew that is left in the next iteration
  std::uint64_t seed = 1;
};

// What becomes of tokens beyond an expert's capacity, ceil(factor x tokens x k / E) of each rank.
enum class CapacityMode : std::uint8_t {
  drop,  // they skip the layer
  pad,   // and experts with fewer get empty ones: all exchanges have the same size
};
std::string_view name_of(CapacityMode mode);

struct ExpertTraining {
  std::int32_t parallel = 1;  // e: ranks that share the experts of a layer
  std::int32_t tensor = 1;    // q: ranks that share each expert; q e d_e = t c d
  bool fp8_dispatch = false;  // forward, with a scale of 4 B for 128 elements
  double capacity = 0;        // factor; 0 = no limit
  CapacityMode capacity_mode = CapacityMode::drop;
  bool overlap_shared = true;    // shared experts work beside dispatch and combine
  bool overlap_batches = false;  // of `interleaved`, or without a pipeline: what one micro-batch
                                 // exchanges goes beside what another one computes
  std::int32_t node_ranks = 0;   // a token crosses once to each node of so many ranks; 0 = to each
                                 // of its experts
  ExpertLoadSpec load;

  // Whether the work of a rank depends on what is drawn.
  bool is_drawn() const {
    const bool padded = capacity > 0 && capacity_mode == CapacityMode::pad;
    return load.kind != ExpertLoad::uniform && parallel > 1 && !padded;
  }
  std::int32_t nodes() const { return node_ranks > 0 ? parallel * tensor / node_ranks : 1; }
};

}  // namespace orrery
