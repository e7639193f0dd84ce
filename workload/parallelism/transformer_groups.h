// Who exchanges what in a transformer's training loop.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "system/job.h"
#include "workload/parallelism/transformer_ranks.h"

namespace orrery {

// Groups of one rank exchange nothing and have no communicator.
enum class Group : std::uint8_t {
  tensor,
  context,
  data,    // that sum gradients: context-parallel ranks too
  shard,   // of these, those that divide one copy of the training state between them
  copies,  // those that have the same share of it
  expert,
  expert_tensor,
  expert_all,   // of the two above
  expert_node,  // of expert, those of one node
  expert_rail,  // of expert, those of the same place in each node
  expert_data,  // that sum the gradients of experts
  world,
  pipeline_ends
};

class Groups {
 public:
  explicit Groups(const TransformerWorkload& workload);

  // Index of the group's communicator. REQUIRES: it has more than one rank.
  std::int32_t number_of(Group group) const { return number_of_.at(group); }
  std::vector<Communicator> take() { return std::move(communicators_); }

 private:
  void add(Group group, const char* name, std::vector<Extent> extents);
  void add_experts(const TransformerTraining& training, const TransformerRanks& ranks);

  std::map<Group, std::int32_t> number_of_;
  std::vector<Communicator> communicators_;
};

}  // namespace orrery
