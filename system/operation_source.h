// Who hands out the operations of ranks. workload/ implements this; system/ only consumes it, so
// that system/ never includes workload/ and a test can hand in three operations written by hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "system/known_operations.h"
#include "system/operation.h"

namespace orrery {

class OperationSource {
 public:
  virtual ~OperationSource() = default;

  // Append to `ready` the operations of `rank` that may start now: at start those without
  // predecessors, later those that the end of `id` released. Each operation is handed out exactly
  // once. A collective, send or receive runs beside what follows; a compute or wait is finished
  // before the source hands out what depends on it. The order in which operations are handed out is
  // that in which those of one lane are done.
  virtual void start(Rank rank, std::vector<Operation>& ready) = 0;
  virtual void finish(Rank rank, OperationId id, std::vector<Operation>& ready) = 0;

  // All that the rank will be handed, in any order, if that is known before the run; else nothing.
  // Ranks with the same operations, handed out in the same order if they finish in the same order,
  // return lists of one identity: such ranks may be simulated as one.
  virtual KnownOperations known_operations(Rank) const { return {}; }
  // The same for a forecast of the run, where ranks are not taken to be alike all the same.
  virtual KnownOperations operations_ahead(Rank rank) const { return known_operations(rank); }
  // Whether the sends and receives of known_operations() name distances from the rank, and
  // not ranks.
  virtual bool names_distances(Rank) const { return false; }
  // What two ranks with other operations do differently, as a clause; "" if that is not known.
  virtual std::string why_unlike(Rank, Rank) const { return ""; }

  // For progress and for the report of a job that got stuck.
  virtual std::int64_t operation_count(Rank rank) const = 0;

  // Of an operation that the rank was handed: where it is, and once more what it is, if that is
  // still known. For traces.
  virtual OperationPlace place_of(Rank, OperationId) const { return {}; }
  virtual std::optional<Operation> find(Rank, OperationId) const { return std::nullopt; }
};

}  // namespace orrery
