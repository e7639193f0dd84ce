#include "workload/parallelism/transformer_groups.h"

namespace orrery {

Groups::Groups(const TransformerWorkload& workload) {
  const TransformerRanks ranks(workload.training);
  const std::int32_t shards = workload.training.shard_ranks();
  add(Group::tensor, "tensor", ranks.tensor, 1);
  add(Group::data, "data", ranks.data, ranks.data_stride);
  if (shards == ranks.data && shards > 1) {
    number_of_[Group::shard] = number_of_.at(Group::data);
  } else {
    add(Group::shard, "shard", shards, ranks.data_stride);
    add(Group::copies, "copies", ranks.data / shards, ranks.data_stride * shards);
  }
  add(Group::world, "world", ranks.count(), 1);
  if (workload.model.tied_embeddings && ranks.pipeline > 1) {
    number_of_[Group::pipeline_ends] = static_cast<std::int32_t>(communicators_.size());
    communicators_.push_back({"pipeline ends", ranks.pipeline_ends()});
  }
}

void Groups::add(Group group, const char* name, std::int32_t count, std::int32_t stride) {
  if (count == 1) return;
  number_of_[group] = static_cast<std::int32_t>(communicators_.size());
  communicators_.push_back({name, std::vector<Extent>{{count, stride}}});
}

}  // namespace orrery
