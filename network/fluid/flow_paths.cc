#include "network/fluid/flow_paths.h"

#include <fmt/format.h>

#include <algorithm>

#include "network/fluid/crossings.h"
#include "network/folded_links.h"
#include "network/routing/level_routes.h"

namespace orrery::fluid {

FlowPaths::FlowPaths(const Topology& topology, Router& router, bool searches)
    : topology_(topology), router_(router), searches_(searches) {
  if (!topology.structural() || router.policy() != RoutingPolicy::dimension_order) return;
  has_even_rings_ = std::ranges::any_of(topology.levels(), [](const LevelSpec& level) {
    return level.kind == LevelKind::ring && level.size > 2 && level.size % 2 == 0;
  });
}

bool FlowPaths::find(NodeId from, NodeId to, std::uint64_t number) {
  path_.clear();
  uses_.clear();
  if (!router_.path(from, to, number, path_)) return false;
  latency_ = {};
  narrowest_ = topology_.links()[path_.front()].bandwidth;
  for (const LinkIndex link : path_) {
    latency_ += topology_.links()[link].latency;
    narrowest_ = std::min(narrowest_, topology_.links()[link].bandwidth);
  }
  both_ways_ = has_even_rings_ && go_both_ways(from, to);
  if (both_ways_)
    for (const LinkShare& share : shares_) uses_.push_back({share.link, share.fraction});
  else if (takes_all_paths(router_.policy()))
    spray(from, to);
  else if (router_.policy() == RoutingPolicy::qp_spread)
    divide_over_paths(from, to);
  else
    for (const LinkIndex link : path_) uses_.push_back({link});
  if (folded()) fold_uses();
  return true;
}

// Fills uses_ with all shortest paths.
void FlowPaths::spray(NodeId from, NodeId to) {
  shares_.clear();
  router_.shares(from, to, shares_);
  for (const LinkShare& share : shares_) uses_.push_back({share.link, share.fraction});
}

// A message over several queue pairs: an equal part on the path of each. Fills uses_.
void FlowPaths::divide_over_paths(NodeId from, NodeId to) {
  path_.clear();
  const std::int32_t parts = router_.paths();
  for (std::int32_t part = 0; part < parts; ++part)
    router_.path(from, to, static_cast<std::uint64_t>(part), path_);
  std::sort(path_.begin(), path_.end());
  for (std::size_t i = 0, next = 0; i < path_.size(); i = next) {
    while (next < path_.size() && path_[next] == path_[i]) ++next;
    uses_.push_back({path_[i], static_cast<double>(next - i) / parts});
  }
}

// Both ways round a ring are equally long: as much goes each way as a fair choice for every message
// would give it. If all its links are up, fills shares_ and returns true.
bool FlowPaths::go_both_ways(NodeId from, NodeId to) {
  const std::int32_t npus = topology_.npu_count();
  if (from.value >= npus || to.value >= npus || !has_two_ways(topology_, from, to)) return false;
  if (searches_ && router_.has_static_route(from, to)) return false;
  shares_.clear();
  append_level_shares(topology_, from, to, shares_, scratch_);
  return !searches_ || std::ranges::all_of(shares_, [this](const LinkShare& share) {
    return router_.believed_up(share.link);
  });
}

FoldAnswer FlowPaths::fold(const Fold& fold, const FoldedTraffic& traffic) {
  if (router_.changes_to_come()) return {"links fail or slow down during the run", {}};
  if (topology_.structural() && searches_) return {"routes are searched for, on levels", {}};
  if (const RoutingPolicy policy = router_.policy();
      policy == RoutingPolicy::qp_spread || policy == RoutingPolicy::valiant)
    return {fmt::format("network.routing.policy {} draws the way of each message", name_of(policy)),
            {}};
  if (topology_.structural()) {
    multiplicity_ = fold.multiplicity();
    classes_ = {representative_links(topology_, fold),
                std::vector<std::int32_t>(topology_.links().size(), multiplicity_)};
    return {};
  }
  Crossings crossings(topology_, router_);
  const auto crossings_of = [&](NodeId from, NodeId to, FlowCrossings& found) {
    return crossings.find(from, to, found);
  };
  FoldAnswer answer = find_link_classes(topology_, fold, traffic, crossings_of, classes_);
  if (answer.folds()) multiplicity_ = fold.multiplicity();
  return answer;
}

// A use of one link becomes one of its class. Of all flows that are alike, multiplicity_ in number,
// each link of the class carries as many. In uses_.
void FlowPaths::fold_uses() {
  std::size_t kept = 0;
  for (const LinkUse& use : uses_) {
    const LinkUse of_class{classes_.like[use.link], use.share};
    const auto end = uses_.begin() + static_cast<std::ptrdiff_t>(kept);
    const auto known = std::find_if(uses_.begin(), end, [&](const LinkUse& one) {
      return one.link == of_class.link && one.share == of_class.share;
    });
    if (known == end)
      uses_[kept++] = of_class;
    else
      known->count += 1.0;
  }
  uses_.resize(kept);
  for (LinkUse& use : uses_)
    use.count *= multiplicity_ / static_cast<double>(classes_.size[use.link]);
}

void FlowPaths::unfold(NetworkStatistics& statistics) const {
  if (!folded()) return;
  statistics.messages *= static_cast<std::uint64_t>(multiplicity_);
  for (LevelTraffic& level : statistics.levels)
    for (TotalBytes& bytes : level.bytes_by_label) bytes = bytes * multiplicity_;
  // Each of alike messages ends at one link, so the links of a class have their bytes together.
  for (std::vector<TotalBytes>& by_link : statistics.limited)
    for (std::size_t link = 0; link < by_link.size(); ++link)
      if (classes_.like[link] == link)
        by_link[link] = (by_link[link] * multiplicity_).mean(classes_.size[link]);
  const auto unfold = [&](std::vector<TotalBytes>& by_link) {
    for (std::size_t link = 0; link < by_link.size(); ++link)
      by_link[link] = by_link[classes_.like[link]];
  };
  unfold(statistics.links);
  for (std::vector<TotalBytes>& by_link : statistics.limited) unfold(by_link);
}

}  // namespace orrery::fluid
