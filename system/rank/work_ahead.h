// How much a run is about to simulate: the messages of the ranks that stand for all, added up over
// what their programs will call.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/units/total.h"
#include "network/fold.h"
#include "system/job.h"
#include "system/rank/collective_recipes.h"

namespace orrery {

struct WorkAhead {
  // Calls of one kind and size in one communicator.
  struct Calls {
    std::int64_t messages = 0;
    std::int32_t chunks = 0;  // of each of them
    std::string algorithm;
  };
  using Key = std::tuple<std::int32_t, Collective, Bytes>;  // the communicator first

  // Of collectives what a rank at position 0 sends, times the ranks: about as many of plans that
  // give ranks different roles. 0 if what the ranks do is not known beforehand.
  std::int64_t messages = 0;
  // On each level of the topology those that cross it last, and their bytes.
  std::vector<std::int64_t> messages_on;
  std::vector<TotalBytes> bytes;
  std::int64_t targets = 0;  // of collectives, whom a rank sends to: of each plan its own
  std::map<Key, Calls> calls;

  // Those that send most of the messages; none if no call sends any.
  const std::pair<const Key, Calls>* most() const;

  // So many times more of what is in `last` and not in `before`.
  void grow(const WorkAhead& last, const WorkAhead& before, std::int64_t times);
};

WorkAhead work_ahead(const Job& job, const Topology& topology, const Fold& fold,
                     CollectiveRecipes& recipes);

}  // namespace orrery
