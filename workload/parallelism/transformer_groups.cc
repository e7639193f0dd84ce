#include "workload/parallelism/transformer_groups.h"

#include <algorithm>

#include "workload/parallelism/chunk_placement.h"

namespace orrery {

namespace {

// So many of the ranks that sum gradients, nearest first.
std::vector<Extent> nearest_replicas(const TransformerRanks& ranks, std::int32_t count) {
  const std::int32_t context = std::min(count, ranks.context);
  return {{context, ranks.tensor}, {count / context, ranks.data_stride}};
}

// Those of them that are `apart` neighbours away from each other.
std::vector<Extent> replicas_apart(const TransformerRanks& ranks, std::int32_t apart) {
  const std::int32_t all = ranks.context * ranks.data;
  if (apart >= ranks.context) return {{all / apart, ranks.data_stride * (apart / ranks.context)}};
  return {{ranks.context / apart, ranks.tensor * apart}, {ranks.data, ranks.data_stride}};
}

// Whether the ranks of a stage follow each other.
bool stages_last(const TransformerWorkload& workload) {
  return workload.training.order == RankOrder::tensor_data_pipeline;
}

// The groups that `extents` make, each with that of stage p-1-s, which has the same parts of the
// model as stage s.
RankLists mirrored(const TransformerRanks& ranks, const std::vector<Extent>& extents) {
  std::map<Rank, std::vector<Rank>> by_first;
  for (Rank rank = 0; rank < ranks.count(); ++rank) {
    const std::int32_t stage = ranks.stage_of(rank);
    const std::int32_t lower = std::min(stage, ranks.pipeline - 1 - stage);
    Rank first = rank - (stage - lower) * ranks.pipeline_stride;
    for (const auto& [count, stride] : extents) first -= rank / stride % count * stride;
    by_first[first].push_back(rank);
  }
  RankLists groups;
  for (auto& [first, group] : by_first) groups.push_back(std::move(group));
  return groups;
}

}  // namespace

std::string_view traffic_of(Group group) {
  switch (group) {
    case Group::tensor:
      return "TP";
    case Group::context:
    case Group::context_inner:
      return "CP";
    case Group::data:
    case Group::shard:
    case Group::copies:
    case Group::data_other:
    case Group::expert_data:
    case Group::expert_data_other:
      return "DP";
    case Group::expert:
    case Group::expert_tensor:
    case Group::expert_all:
    case Group::expert_node:
    case Group::expert_rail:
      return "EP";
    case Group::world:
      return "norm";
    case Group::pipeline_ends:
      return "embedding";
  }
  return "";
}

bool joins_ends(const TransformerWorkload& workload) {
  const TransformerTraining& training = workload.training;
  const ChunkPlacement placement(training.schedule, pipeline_shape(training));
  return workload.model.tied_embeddings && training.pipeline > 1 && !placement.both_ways() &&
         !placement.v_shape();
}

Groups::Groups(const TransformerWorkload& workload) {
  const TransformerRanks ranks(workload.training);
  const std::int32_t all = ranks.data * ranks.context, shards = workload.training.shard_ranks();
  add(Group::tensor, "tensor", {{ranks.tensor, 1}});
  add(Group::context, "context", {{ranks.context, ranks.tensor}});
  add(Group::context_inner, "context inner", {{workload.training.context_inner, ranks.tensor}});
  add_replicas(Group::data, Group::data_other, "data", nearest_replicas(ranks, all), workload);
  if (shards == workload.training.replicas() && shards > 1) {
    number_of_[Group::shard] = number_of_.at(Group::data);
  } else if (shards > 1) {
    add(Group::shard, "shard", nearest_replicas(ranks, shards));
    add(Group::copies, "copies", replicas_apart(ranks, shards));
  }
  if (workload.model.experts.count > 0) add_experts(workload, ranks);
  add(Group::world, "world", {{ranks.count(), 1}});
  if (ranks.count() > 1) {
    communicators_.back().rows = stages_last(workload) ? ranks.pipeline : 1;
    communicators_.back().few_bytes = true;  // the norm
  }
  if (joins_ends(workload)) {
    number_of_[Group::pipeline_ends] = static_cast<std::int32_t>(communicators_.size());
    communicators_.push_back({"pipeline ends", ranks.pipeline_ends()});
  }
}

void Groups::add_experts(const TransformerWorkload& workload, const TransformerRanks& ranks) {
  const std::int32_t q = ranks.expert_tensor, e = ranks.expert;
  const ExpertTraining& training = workload.training.experts;
  add(Group::expert, "expert", {{e, q}});
  add(Group::expert_tensor, "expert tensor", {{q, 1}});
  if (q == 1 && e > 1)
    number_of_[Group::expert_all] = number_of_.at(Group::expert);
  else
    add(Group::expert_all, "expert all", {{q * e, 1}});
  if (const std::int32_t node = training.node_ranks; node > 0) {
    add(Group::expert_node, "expert node", {{node / q, q}});
    add(Group::expert_rail, "expert rail", {{training.nodes(), node}});
  }
  add_replicas(Group::expert_data, Group::expert_data_other, "expert data",
               {{ranks.expert_data, ranks.expert_data_stride}}, workload);
}

void Groups::add_replicas(Group group, Group other, const std::string& name,
                          const std::vector<Extent>& extents, const TransformerWorkload& workload) {
  if (workload.training.same_stages() == 1) return add(group, name.c_str(), extents);
  const RankLists groups = mirrored(TransformerRanks(workload.training), extents);
  for (const auto& [one, called] : {std::pair{group, name}, {other, name + " of the upper half"}}) {
    number_of_[one] = static_cast<std::int32_t>(communicators_.size());
    communicators_.push_back({called, groups, stages_last(workload) ? 2 : 1});
  }
}

// Extents of one rank join nothing, and two that continue each other are one.
void Groups::add(Group group, const char* name, std::vector<Extent> extents) {
  std::erase_if(extents, [](const Extent& extent) { return extent.count == 1; });
  if (extents.empty()) return;
  if (extents.size() == 2 && extents[1].stride == extents[0].count * extents[0].stride)
    extents = {{extents[0].count * extents[1].count, extents[0].stride}};
  number_of_[group] = static_cast<std::int32_t>(communicators_.size());
  communicators_.push_back({name, std::move(extents)});
}

}  // namespace orrery
