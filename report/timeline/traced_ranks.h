// Of which ranks a trace has tracks, and what the tracks are called.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "network/fold.h"
#include "simulation/experiment.h"

namespace orrery {

struct TracedRank {
  std::int32_t rank;
  std::string name;  // "rank 032 (stage 1, stands for 64 ranks)": sorts like the rank
};

struct RankChoice {
  std::vector<TracedRank> ranks;  // ascending
  std::string by;  // "one of each pipeline stage", for the notice of what is left out
};

// `wanted` is one of
//   ""        a rank of each pipeline stage of a transformer's training; else the first 8 ranks, of
//             several jobs together. At most 64
//   "all"
//   numbers   and ranges of ranks with commas between: "0,8,16-23"
// Where one rank stands for many it is the one that is traced. Throws ConfigError.
RankChoice choose_traced_ranks(std::string_view wanted, const Experiment& experiment,
                               const Fold& fold, std::int32_t ranks);

}  // namespace orrery
