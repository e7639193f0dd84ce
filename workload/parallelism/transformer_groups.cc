#include "workload/parallelism/transformer_groups.h"

#include <algorithm>

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

}  // namespace

Groups::Groups(const TransformerWorkload& workload) {
  const TransformerRanks ranks(workload.training);
  const std::int32_t shards = workload.training.shard_ranks();
  const std::int32_t replicas = workload.training.replicas();
  add(Group::tensor, "tensor", {{ranks.tensor, 1}});
  add(Group::context, "context", {{ranks.context, ranks.tensor}});
  add(Group::data, "data", nearest_replicas(ranks, replicas));
  if (shards == replicas && shards > 1) {
    number_of_[Group::shard] = number_of_.at(Group::data);
  } else {
    add(Group::shard, "shard", nearest_replicas(ranks, shards));
    add(Group::copies, "copies", replicas_apart(ranks, shards));
  }
  if (workload.model.experts.count > 0) add_experts(workload.training, ranks);
  add(Group::world, "world", {{ranks.count(), 1}});
  if (workload.model.tied_embeddings && ranks.pipeline > 1) {
    number_of_[Group::pipeline_ends] = static_cast<std::int32_t>(communicators_.size());
    communicators_.push_back({"pipeline ends", ranks.pipeline_ends()});
  }
}

void Groups::add_experts(const TransformerTraining& training, const TransformerRanks& ranks) {
  const std::int32_t q = ranks.expert_tensor, e = ranks.expert;
  add(Group::expert, "expert", {{e, q}});
  add(Group::expert_tensor, "expert tensor", {{q, 1}});
  if (q == 1 && e > 1)
    number_of_[Group::expert_all] = number_of_.at(Group::expert);
  else
    add(Group::expert_all, "expert all", {{q * e, 1}});
  if (const std::int32_t node = training.experts.node_ranks; node > 0) {
    add(Group::expert_node, "expert node", {{node / q, q}});
    add(Group::expert_rail, "expert rail", {{training.experts.nodes(), node}});
  }
  add(Group::expert_data, "expert data", {{ranks.expert_data, ranks.expert_data_stride}});
}

void Groups::add(Group group, const char* name, std::vector<Extent> extents) {
  std::erase_if(extents, [](const Extent& extent) { return extent.count == 1; });
  if (extents.empty()) return;
  if (extents.size() == 2 && extents[1].stride == extents[0].count * extents[0].stride)
    extents = {{extents[0].count * extents[1].count, extents[0].stride}};
  number_of_[group] = static_cast<std::int32_t>(communicators_.size());
  communicators_.push_back({name, std::move(extents)});
}

}  // namespace orrery
