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
  data,
  shard,       // data-parallel ranks that divide one copy of the training state between them
  copies,      // those that have the same share of it
  data_other,  // with dualpipe, where two stages have both of two parts of the model: `data` and
               // `shard` once more, for the upper half of the parts, which ranks exchange in
               // another order
  world,
  pipeline_ends
};

// Whether the first and the last stage each have a copy of the embedding, whose gradients are
// summed. In pipelines that go back to the first stage it has both.
bool joins_ends(const TransformerWorkload& workload);

class Groups {
 public:
  explicit Groups(const TransformerWorkload& workload);

  // Index of the group's communicator. REQUIRES: it has more than one rank.
  std::int32_t number_of(Group group) const { return number_of_.at(group); }
  std::vector<Communicator> take() { return std::move(communicators_); }

 private:
  void add_mirrored(const TransformerRanks& ranks);
  void add(Group group, const char* name, std::int32_t count, std::int32_t stride);

  std::map<Group, std::int32_t> number_of_;
  std::vector<Communicator> communicators_;
};

}  // namespace orrery
