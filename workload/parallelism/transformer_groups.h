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
  shard,   // data-parallel ranks that divide one copy of the training state between them
  copies,  // those that have the same share of it
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
  void add(Group group, const char* name, std::int32_t count, std::int32_t stride);

  std::map<Group, std::int32_t> number_of_;
  std::vector<Communicator> communicators_;
};

}  // namespace orrery
