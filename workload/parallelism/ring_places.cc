#include "workload/parallelism/ring_places.h"

namespace orrery {

RingPlaces::RingPlaces(const TransformerTraining& training)
    : tensor_{training.overlap_tensor ? training.tensor : 1, 1},
      context_{1, training.tensor * training.context_inner} {
  if (training.context_method == ContextMethod::ring ||
      training.context_method == ContextMethod::pytorch ||
      training.context_method == ContextMethod::ulysses_ring)
    context_.count = training.context / training.context_inner;
}

std::vector<Operation> RingPlaces::operations(std::vector<Operation> of_stage,
                                              const Neighbours& neighbours,
                                              std::int32_t variant) const {
  for (const auto& [id, group] : neighbours) {
    const bool of_tensor = group == PartGroup::tensor;
    const Extent& ring = of_tensor ? tensor_ : context_;
    const std::int32_t kind = of_tensor ? variant % kinds(tensor_) : variant / kinds(tensor_);
    const std::int32_t around = (ring.count - 1) * ring.stride;
    auto& what = of_stage[static_cast<std::size_t>(id)].what;
    if (auto* send = std::get_if<SendCall>(&what))
      send->to = kind == kinds(ring) - 1 ? -around : ring.stride;
    if (auto* receive = std::get_if<ReceiveCall>(&what))
      receive->from = kind == 0 ? around : -ring.stride;
  }
  return of_stage;
}

}  // namespace orrery
