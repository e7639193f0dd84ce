// How many copies of tokens travel to experts, before it is drawn which.
#pragma once

#include <cstdint>

#include "core/units/units.h"
#include "workload/model/transformer.h"
#include "workload/workload_spec.h"

namespace orrery {

// Tokens of a micro-batch whose experts a rank chooses.
std::int64_t routed_tokens(const TransformerWorkload& workload);

// Copies of one expert that a rank with so many tokens may send; nothing limits them without a
// capacity.
std::int64_t expert_capacity(const ExpertsSpec& experts, const ExpertTraining& training,
                             std::int64_t tokens);

// Copies that a rank with so many tokens sends if all experts are equally popular; padded ones
// included.
std::int64_t copies_of_rank(const ExpertsSpec& experts, const ExpertTraining& training,
                            std::int64_t tokens);

// Mean number of nodes, of those that share the experts equally, that have an expert of a token: it
// chooses top_k without preference among the experts of group_limit groups.
double expected_nodes(const ExpertsSpec& experts, std::int32_t nodes);

// The way back of a step.
constexpr Routed::Role reversed(Routed::Role role) {
  using enum Routed::Role;
  switch (role) {
    case dispatch:
      return combine;
    case across:
      return across_back;
    case inside:
      return inside_back;
    default:
      return role;
  }
}

// Of so many 8-bit elements, with a scale of 4 B for each 128.
constexpr Bytes fp8_size(std::int64_t elements) {
  return Bytes{elements + 4 * ((elements + 127) / 128)};
}

}  // namespace orrery
