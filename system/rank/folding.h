// Folding: where many ranks of a job do the same at the same time, one of them is simulated and
// stands for the others.
//
// Ranks are read as mixed-radix numbers, cut wherever a level of the platform or a group of ranks
// begins or ends: 8 (tensor) x 128 (data) x 16 (pipeline). A digit is folded if ranks that differ
// in it only run the same program, have their peers at the same distance, without going round the
// digit, and take part in the same way in collectives that do: the plan has a symmetry
// (Plan::symmetry) that the digit is part of. Then what comes to one of these ranks, when, from how
// far and through which port, is what comes to each of them, message by message, and so is what it
// does next. The result is that of the full run, to the picosecond and the byte
// (docs/decisions/0005, 0006 and 0010).
#pragma once

#include <cstdint>
#include <string>

#include "network/fold.h"
#include "network/network_backend.h"
#include "network/topology/topology.h"
#include "system/job.h"
#include "system/rank/collective_recipes.h"

namespace orrery {

enum class Folding : std::uint8_t {
  off,
  off_for_ties,  // ranks that are alike in one order of events (Ties) are not in another
  where_exact
};

struct FoldChoice {
  Fold fold;
  std::string why_none;  // clauses: "rank 3 runs another program than rank 0"; "" if it folds
};

// As much as can be folded by the network too, which then is folded.
FoldChoice choose_fold(const Topology& topology, const Job& job, CollectiveRecipes& recipes,
                       NetworkBackend& network);

}  // namespace orrery
