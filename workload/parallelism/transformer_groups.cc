#include "workload/parallelism/transformer_groups.h"

#include "workload/parallelism/chunk_placement.h"

namespace orrery {

bool joins_ends(const TransformerWorkload& workload) {
  const TransformerTraining& training = workload.training;
  const ChunkPlacement placement(training.schedule, pipeline_shape(training));
  return workload.model.tied_embeddings && training.pipeline > 1 && !placement.both_ways() &&
         !placement.v_shape();
}

Groups::Groups(const TransformerWorkload& workload) {
  const TransformerRanks ranks(workload.training);
  const std::int32_t shards = workload.training.shard_ranks();
  add(Group::tensor, "tensor", ranks.tensor, 1);
  if (workload.training.schedule == PipelineSchedule::dualpipe) {
    add_mirrored(ranks);
  } else {
    add(Group::data, "data", ranks.data, ranks.data_stride);
    add(Group::shard, "shard", shards == ranks.data ? 1 : shards, ranks.data_stride);
    add(Group::copies, "copies", ranks.data / shards, ranks.data_stride * shards);
  }
  if (shards == workload.training.replicas() && shards > 1)
    number_of_[Group::shard] = number_of_.at(Group::data);
  add(Group::world, "world", ranks.count(), 1);
  if (joins_ends(workload)) {
    number_of_[Group::pipeline_ends] = static_cast<std::int32_t>(communicators_.size());
    communicators_.push_back({"pipeline ends", ranks.pipeline_ends()});
  }
}

// Stage s has the same parts of the model as stage p-1-s.
void Groups::add_mirrored(const TransformerRanks& ranks) {
  RankLists groups;
  for (Rank rank = 0; rank < ranks.count(); ++rank) {
    const std::int32_t stage = ranks.stage_of(rank), mirrored = ranks.pipeline - 1 - stage;
    if (stage >= mirrored || rank / ranks.data_stride % ranks.data != 0) continue;
    RankLists::value_type group;
    for (const std::int32_t distance : {0, (mirrored - stage) * ranks.pipeline_stride})
      for (std::int32_t i = 0; i < ranks.data; ++i)
        group.push_back(rank + distance + i * ranks.data_stride);
    groups.push_back(std::move(group));
  }
  for (const auto& [group, name] :
       {std::pair{Group::data, "data"}, {Group::data_other, "data of the upper half"}}) {
    number_of_[group] = static_cast<std::int32_t>(communicators_.size());
    communicators_.push_back({name, groups});
  }
}

void Groups::add(Group group, const char* name, std::int32_t count, std::int32_t stride) {
  if (count == 1) return;
  number_of_[group] = static_cast<std::int32_t>(communicators_.size());
  communicators_.push_back({name, std::vector<Extent>{{count, stride}}});
}

}  // namespace orrery
