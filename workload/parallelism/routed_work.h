// What each rank does for the experts of a layer where it is drawn which experts are popular: the
// entries of a program (Program::fill_in) that says what it is if all are equally popular.
//
// All ranks of an expert-parallel group draw the same copies (model/expert_loads.h), those that
// share an expert too. Pair sizes of a call are made when its first rank gets it and kept for the
// others, the latest few of them: memory depends on the groups at work, not on the length of a job.
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "workload/graph/program.h"
#include "workload/model/expert_loads.h"
#include "workload/model/recent.h"
#include "workload/model/transformer.h"
#include "workload/parallelism/transformer_ranks.h"

namespace orrery {

class RoutedWork final : public RankWork {
 public:
  explicit RoutedWork(const TransformerWorkload& workload);

  // A step of a layer's experts. The draw's group is taken from the rank.
  std::int32_t entry(const Routed& routed, const ExpertLoads::Draw& draw);

  void fill(Rank rank, std::int32_t entry, Operation& operation) override;

 private:
  struct Entry {
    Routed routed;
    ExpertLoads::Draw draw;
  };
  // A draw with its group, the role, which node (of `inside`) or place in it (of `across`), the
  // size of a copy.
  using Key = std::tuple<ExpertLoads::Draw, Routed::Role, std::int32_t, std::int64_t>;
  using Sizes = std::shared_ptr<const PairSizes>;

  void travel(const Entry& entry, std::int32_t place, CollectiveCall& call);
  Sizes make_sizes(const Entry& entry, std::int32_t part);
  std::vector<std::int64_t> copies_between(const Entry& entry, std::int32_t part);
  std::vector<std::int64_t> copies_across(const ExpertLoads::Draw& draw, std::int32_t place);
  std::vector<std::int64_t> copies_inside(const ExpertLoads::Draw& draw, std::int32_t node);

  TransformerRanks ranks_;
  ExpertTraining training_;
  std::int64_t balanced_;   // copies that arrive at a rank if all experts are equally popular
  double limited_;          // part of the crossings that is left when groups of experts are limited
  std::int32_t node_size_;  // ranks of a group in a node
  ExpertLoads loads_;
  std::vector<Entry> entries_;
  Recent<Key, Sizes> sizes_;
};

}  // namespace orrery
