// What a comparison says of iterations of unequal size, as assumed batches make them: the shortest
// one may be the slowest a token.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulation/run_result.h"

namespace orrery {

// `first`, and below it rows of the table, heading first, for those that are `shown`: the tokens of
// an iteration, and the time of a token times that of the fastest of all. Only `first` if all
// iterations have the same tokens, or not all train a transformer to the end.
std::vector<std::vector<std::string>> with_sizes(const std::vector<std::string>& first,
                                                 std::span<const RunResult> all,
                                                 std::span<const RunResult> shown);

}  // namespace orrery
