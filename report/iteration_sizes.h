// What a comparison says of iterations of unequal size, as assumed batches make them: the shortest
// one may be the slowest a token.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulation/run_result.h"

namespace orrery {

// Rows of the table, heading first, for those that are `shown`: the tokens of an iteration, and the
// time of a token times that of the fastest of all. None if all iterations have the same tokens, or
// not all train a transformer to the end.
std::vector<std::vector<std::string>> size_rows(std::span<const RunResult> all,
                                                std::span<const RunResult> shown);

}  // namespace orrery
