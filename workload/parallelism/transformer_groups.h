// Who exchanges what in a transformer's training loop.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "system/job.h"
#include "workload/parallelism/transformer_ranks.h"

namespace orrery {

// Groups of one rank exchange nothing and have no communicator.
enum class Group : std::uint8_t {
  tensor,
  context,
  context_inner,
  data,        // that sum gradients: context-parallel ranks too
  shard,       // of these, those that divide one copy of the training state between them
  copies,      // those that have the same share of it
  data_other,  // with dualpipe, where two stages have both of two parts of the model: `data` and
               // `shard` once more, for the upper half of the parts, which ranks exchange in
               // another order
  expert,
  expert_tensor,
  expert_all,         // of the two above
  expert_node,        // of expert, those of one node
  expert_rail,        // of expert, those of the same place in each node
  expert_data,        // that sum the gradients of experts
  expert_data_other,  // as data_other
  world,
  pipeline_ends
};

// What time spent waiting in such a group is summed under (Label::traffic): the kind of
// parallelism.
std::string_view traffic_of(Group group);

// Whether the first and the last stage each have a copy of the embedding, whose gradients are
// summed. In pipelines that go back to the first stage it has both.
bool joins_ends(const TransformerWorkload& workload);

class Groups {
 public:
  explicit Groups(const TransformerWorkload& workload);

  // Index of the group's communicator. REQUIRES: it has more than one rank.
  std::int32_t number_of(Group group) const { return number_of_.at(group); }
  const Communicator& communicator(Group group) const { return communicators_[number_of(group)]; }
  const std::vector<Communicator>& communicators() const { return communicators_; }
  std::vector<Communicator> take() { return std::move(communicators_); }

 private:
  void add(Group group, const char* name, std::vector<Extent> extents);
  // With dualpipe the ranks of both stages that have the same parts of the model, else `extents`.
  void add_replicas(Group group, Group other, const std::string& name,
                    const std::vector<Extent>& extents, const TransformerWorkload& workload);
  void add_experts(const TransformerWorkload& workload, const TransformerRanks& ranks);

  std::map<Group, std::int32_t> number_of_;
  std::vector<Communicator> communicators_;
};

}  // namespace orrery
