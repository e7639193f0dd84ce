#include "network/fluid/flow_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "network/fluid/crossings.h"
#include "network/folded_links.h"
#include "network/routing/flow_hash.h"
#include "network/routing/level_routes.h"

namespace orrery::fluid {
namespace {

constexpr NodeId no_node{-1};
constexpr std::size_t most_known_paths = 1 << 16;  // 5 MB, and
constexpr std::size_t most_known_uses = 1 << 20;   // 25 MB: on a fat tree a path has 220

}  // namespace

FlowPaths::FlowPaths(const Topology& topology, Router& router, bool searches)
    : topology_(topology), router_(router), searches_(searches) {
  if (!topology.structural() && takes_all_paths(router.policy())) {
    const std::size_t ends = router.ends_of_ways();
    most_asked_ = ends * ends;
  }
  if (!topology.structural() || router.policy() != RoutingPolicy::dimension_order) return;
  has_even_rings_ = std::ranges::any_of(topology.levels(), [](const LevelSpec& level) {
    return level.kind == LevelKind::ring && level.size > 2 && level.size % 2 == 0;
  });
}

bool FlowPaths::find(NodeId from, NodeId to, std::uint64_t number) {
  if (!folded() && ++asked_ == most_asked_) compare_links();
  Path& path = place_of(from, to, number);
  last_ = &path;
  if (path.from == from && path.to == to && path.number == number) return true;
  path_.clear();
  uses_.clear();
  path.from = no_node;
  if (!router_.path(from, to, number, path_)) return false;
  measure(path);
  path.both_ways = has_even_rings_ && go_both_ways(from, to);
  if (path.both_ways)
    for (const LinkShare& share : shares_) uses_.push_back({share.link, share.fraction});
  else if (takes_all_paths(router_.policy()))
    spray(from, to);
  else if (router_.policy() == RoutingPolicy::qp_spread)
    divide_over_paths(from, to);
  else
    for (const LinkIndex link : path_) uses_.push_back({link});
  if (folded()) fold_uses();
  known_uses_ -= path.uses.capacity() + path.limits.capacity();
  path.uses.assign(uses_.begin(), uses_.end());
  path.limits.clear();
  if (!alike_.empty())
    std::ranges::copy_if(uses_, std::back_inserter(path.limits),
                         [this](const LinkUse& use) { return alike_[use.link] == use.link; });
  known_uses_ += path.uses.capacity() + path.limits.capacity();
  if (&path != &drawn_) path.from = from, path.to = to, path.number = number;
  return true;
}

void FlowPaths::compare_links() {
  alike_ = router_.alike_links();
  forget();
}

// Where the path is if it is known, and where it goes if not.
FlowPaths::Path& FlowPaths::place_of(NodeId from, NodeId to, std::uint64_t number) {
  if (router_.draws_each_message()) return drawn_;
  if (known_uses_ > most_known_uses) forget();
  if (known_.empty()) {
    const auto nodes = static_cast<std::size_t>(topology_.node_count());
    known_.resize(std::bit_ceil(std::min(most_known_paths, nodes * nodes)));
  }
  return known_[hash_of_flow(0, from, to, number) & (known_.size() - 1)];
}

// Latency and narrowest link of path_.
void FlowPaths::measure(Path& path) {
  path.latency = {};
  path.narrowest = topology_.links()[path_.front()].bandwidth;
  for (const LinkIndex link : path_) {
    path.latency += topology_.links()[link].latency;
    path.narrowest = std::min(path.narrowest, topology_.links()[link].bandwidth);
  }
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
  forget();
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
