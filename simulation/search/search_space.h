// The parallel configurations of a search, in a fixed order: every combination of the values that
// its SearchSpec lists, or of those that are taken where it lists none. Each configuration once:
// what would only be another name of one that is there is left out (an order of micro-batches
// where there is no pipeline, sharding where nothing is replicated, `selective` recomputation with
// a flash kernel, which is `none`).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulation/search_spec.h"

namespace orrery {

struct SearchedCluster {
  std::int32_t npus = 1, node_ranks = 1;
};

// 1, 2, 4, ..., up to the largest.
std::vector<std::int64_t> micro_batches(std::int64_t largest);

std::vector<ParallelChoice> parallel_choices(const SearchSpec& spec, const TransformerSpec& model,
                                             const SearchedCluster& cluster);

// "none", "full"; "first-7" layers of each chunk.
std::string recompute_of(const ParallelChoice& choice);

// "tp8 pp16 dp8 mb1 interleaved x3 zero1 recompute-full"; context and expert ranks where there are
// several.
std::string text_of(const ParallelChoice& choice, std::int32_t data);

}  // namespace orrery
