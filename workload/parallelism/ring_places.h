// Ranks that pass something on in a ring, each to the next and the last one to the first: rings of
// tensor-parallel ranks (overlap_tensor), and of context-parallel ones.
//
// Programs name their peers by distance (Program::Peers), which is another one at the ends of a
// ring than between. So a stage has up to three programs for each kind of ring, whatever its
// length, and ranks at the same kind of place share one: they can be folded.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "system/job.h"
#include "workload/model/transformer.h"
#include "workload/workload_spec.h"

namespace orrery {

class RingPlaces {
 public:
  // Sends to the next rank and receives from the one before, of a ring of this group.
  using Neighbours = std::vector<std::pair<OperationId, PartGroup>>;

  explicit RingPlaces(const TransformerTraining& training);

  std::int32_t variants() const { return kinds(tensor_) * kinds(context_); }
  std::int32_t variant_of(Rank rank) const {
    return kind_of(tensor_, rank) + kinds(tensor_) * kind_of(context_, rank);
  }
  // The program of a variant.
  std::vector<Operation> operations(std::vector<Operation> of_stage, const Neighbours& neighbours,
                                    std::int32_t variant) const;

 private:
  // First, between, last.
  static std::int32_t kinds(const Extent& ring) { return ring.count < 3 ? ring.count : 3; }
  static std::int32_t kind_of(const Extent& ring, Rank rank) {
    const std::int32_t place = rank / ring.stride % ring.count;
    return place == 0 ? 0 : place == ring.count - 1 ? kinds(ring) - 1 : 1;
  }

  Extent tensor_, context_;  // of one rank if nothing is passed on
};

}  // namespace orrery
