// How much a run is about to simulate: the messages of the ranks that stand for all, added up over
// what their programs will call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/units/total.h"
#include "network/fold.h"
#include "system/job.h"
#include "system/rank/collective_recipes.h"

namespace orrery {

struct WorkAhead {
  // Of collectives what a rank at position 0 sends, times the ranks: about as many of plans that
  // give ranks different roles. 0 if what the ranks do is not known beforehand.
  std::int64_t messages = 0;
  std::vector<TotalBytes> bytes;  // theirs, on each level of the topology that they cross last
  std::int64_t targets = 0;  // of collectives, whom a rank sends to: of each plan its own
  // The calls of one kind and size that send most of the messages.
  std::int64_t most = 0;
  std::string calls;        // "all_reduce of 4 B by ring"
  Collective kind{};        // theirs
  std::int32_t chunks = 0;  // of each of them
};

WorkAhead work_ahead(const Job& job, const Topology& topology, const Fold& fold,
                     CollectiveRecipes& recipes);

}  // namespace orrery
